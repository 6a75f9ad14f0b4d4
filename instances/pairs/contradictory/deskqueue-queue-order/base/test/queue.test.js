import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NotFoundError, StateError, TicketError, TicketQueue } from '../src/index.js';
import { deskAtNoon, numbers } from './helpers.js';

describe('order', () => {
  test('the higher priority goes first', () => {
    const { queue } = deskAtNoon();
    for (const priority of ['low', 'urgent', 'normal', 'high']) queue.add({ subject: priority, priority });
    assert.deepEqual(numbers(queue.waiting()), [2, 4, 3, 1]);
  });

  test('at the same priority the older goes first', () => {
    const { queue } = deskAtNoon();
    queue.add({ subject: 'later', openedAt: '2026-03-02T11:00:00Z' });
    queue.add({ subject: 'earlier', openedAt: '2026-03-02T10:00:00Z' });
    assert.deepEqual(numbers(queue.waiting()), [2, 1]);
  });

  test('at the same moment the lower number goes first', () => {
    const { queue } = deskAtNoon();
    for (let index = 0; index < 5; index += 1) queue.add({ subject: 'same' });
    assert.deepEqual(numbers(queue.waiting()), [1, 2, 3, 4, 5]);
  });

  test('a team sees the whole queue with the others left out', () => {
    const { queue } = deskAtNoon();
    queue.add({ subject: 'one', team: 'billing' });
    queue.add({ subject: 'two', team: 'hardware', priority: 'high' });
    queue.add({ subject: 'three', team: 'Billing ', priority: 'high' });
    assert.deepEqual(numbers(queue.waiting({ team: 'billing' })), [3, 1]);
    assert.equal(queue.next({ team: 'billing' }).number, 3);
    assert.equal(queue.position(1), 3);
  });

  test('another priority means another place', () => {
    const { queue } = deskAtNoon();
    queue.add({ subject: 'one' });
    queue.add({ subject: 'two' });
    queue.reprioritise(2, 'p1');
    assert.deepEqual(numbers(queue.waiting()), [2, 1]);
    assert.equal(queue.position(2), 1);
  });
});

describe('work', () => {
  test('claiming hands out the next', () => {
    const { queue } = deskAtNoon();
    queue.add({ subject: 'one' });
    queue.add({ subject: 'two', priority: 'high' });
    assert.equal(queue.next().number, 2);
    const claimed = queue.claim('agent-1');
    assert.equal(claimed.number, 2);
    assert.equal(claimed.state, 'in-work');
    assert.equal(claimed.agent, 'agent-1');
    assert.deepEqual(numbers(queue.waiting()), [1]);
  });

  test('nothing to claim is null', () => {
    assert.equal(deskAtNoon().queue.claim('agent-1'), null);
  });

  test('an agent can hold only so many', () => {
    const { queue } = deskAtNoon({ maxPerAgent: 1 });
    queue.add({ subject: 'one' });
    queue.add({ subject: 'two' });
    queue.claim('agent-1');
    assert.throws(() => queue.claim('agent-1'), StateError);
    assert.equal(queue.claim('agent-2').number, 2);
  });

  test('a released ticket gets its old place back', () => {
    const { queue, tick } = deskAtNoon();
    queue.add({ subject: 'one' });
    tick(5);
    queue.add({ subject: 'two' });
    queue.claim('agent-1');
    tick(5);
    queue.release(1);
    assert.deepEqual(numbers(queue.waiting()), [1, 2]);
    assert.equal(queue.get(1).agent, null);
  });

  test('closing ends it', () => {
    const { queue } = deskAtNoon();
    queue.add({ subject: 'one' });
    queue.close(1);
    assert.deepEqual(queue.waiting(), []);
    assert.throws(() => queue.close(1), StateError);
    assert.throws(() => queue.release(1), StateError);
    assert.throws(() => queue.position(1), StateError);
    assert.throws(() => queue.close(9), NotFoundError);
  });

  test('the history tells who did what', () => {
    const { queue } = deskAtNoon();
    queue.add({ subject: 'one' });
    queue.claim('agent-1');
    queue.close(1);
    assert.deepEqual(queue.get(1).history.map((entry) => entry.event), ['opened', 'claimed', 'closed']);
    assert.equal(queue.get(1).history[2].by, 'agent-1');
  });
});

describe('tickets', () => {
  test('what comes out is a copy', () => {
    const { queue } = deskAtNoon();
    queue.add({ subject: 'one' }).priority = 'urgent';
    queue.waiting()[0].history.push('nonsense');
    assert.equal(queue.get(1).priority, 'normal');
    assert.equal(queue.get(1).history.length, 1);
  });

  test('names are trimmed and lower case', () => {
    const { queue } = deskAtNoon();
    const ticket = queue.add({ subject: ' a   b ', customer: ' ACME ', team: ' ' });
    assert.equal(ticket.subject, 'a b');
    assert.equal(ticket.customer, 'acme');
    assert.equal(ticket.team, null);
  });

  test('a bad ticket is refused', () => {
    const { queue } = deskAtNoon();
    assert.throws(() => queue.add({ subject: ' ' }), TicketError);
    assert.throws(() => queue.add({ subject: 'x', priority: 'soon' }), TicketError);
    assert.throws(() => queue.add({ subject: 'x', openedAt: 'yesterday' }), TicketError);
    assert.deepEqual(queue.waiting(), []);
  });

  test('a queue survives JSON', () => {
    const { queue } = deskAtNoon({ maxPerAgent: 2 });
    queue.add({ subject: 'one', customer: 'acme' });
    queue.add({ subject: 'two', priority: 'high' });
    queue.claim('agent-1');
    const again = TicketQueue.fromJSON(JSON.parse(JSON.stringify(queue)));
    assert.deepEqual(again.toJSON(), queue.toJSON());
    assert.deepEqual(numbers(again.waiting()), [1]);
    assert.equal(again.settings.maxPerAgent, 2);
  });
});

test('the summary counts what waits by the priority that was given', () => {
  const { queue } = deskAtNoon({ showClosed: true });
  for (const priority of ['high', 'high', 'low']) queue.add({ subject: 'x', priority });
  queue.claim('agent-1');
  queue.close(3);
  assert.deepEqual(queue.summary(), { waiting: { low: 0, normal: 0, high: 1, urgent: 0 }, inWork: 1, closed: 1 });
});
