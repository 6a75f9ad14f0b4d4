import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_SETTINGS, SettingError, TicketQueue, checkSettings } from '../src/index.js';

test('what is not given has its default', () => {
  const settings = checkSettings({ maxPerAgent: 7 });
  assert.equal(settings.maxPerAgent, 7);
  assert.equal(settings.defaultPriority, DEFAULT_SETTINGS.defaultPriority);
});

test('unknown keys and wrong kinds are refused', () => {
  assert.throws(() => checkSettings({ colour: 'red' }), SettingError);
  assert.throws(() => checkSettings({ maxPerAgent: 0 }), SettingError);
  assert.throws(() => checkSettings({ showClosed: 'yes' }), SettingError);
  assert.throws(() => checkSettings({ defaultPriority: 'soon' }), SettingError);
});

test('a setting can be changed later', () => {
  const queue = new TicketQueue();
  queue.set('defaultPriority', 'p2');
  assert.equal(queue.add({ subject: 'one' }).priority, 'high');
  assert.throws(() => queue.set('maxPerAgent', 1.5), SettingError);
});
