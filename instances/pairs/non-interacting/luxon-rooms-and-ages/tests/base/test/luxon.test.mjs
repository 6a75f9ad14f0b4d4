// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime, Duration, Interval, Settings } from '../src/luxon.js';

Settings.defaultZone = 'utc';
Settings.defaultLocale = 'en';

const at = (text) => DateTime.fromISO(text);

test('dates are read and written', () => {
  assert.equal(at('2024-02-29T12:00').plus({ years: 1 }).toISODate(), '2025-02-28');
  assert.equal(at('2024-01-31').plus({ months: 1 }).toFormat('yyyy LLL dd'), '2024 Feb 29');
  assert.equal(at('nonsense').isValid, false);
});

test('zones', () => {
  assert.equal(at('2024-07-01T12:00').setZone('Europe/Berlin').toISO(), '2024-07-01T14:00:00.000+02:00');
});

test('intervals are compared and cut', () => {
  const day = Interval.fromISO('2024-05-06T09:00/2024-05-06T17:00');
  assert.equal(day.contains(at('2024-05-06T17:00')), false);
  assert.deepEqual(day.splitBy({ hours: 3 }).map((one) => one.length('hours')), [3, 3, 2]);
  assert.deepEqual(day.difference(Interval.fromISO('2024-05-06T10:00/2024-05-06T11:00')).map((one) => one.toFormat('HH')), ['09 – 10', '11 – 17']);
});

test('intervals are merged', () => {
  const merged = Interval.merge([Interval.fromISO('2024-05-06/2024-05-08'), Interval.fromISO('2024-05-01/2024-05-02'), Interval.fromISO('2024-05-07/2024-05-09')]);
  assert.deepEqual(merged.map((one) => one.toISODate()), ['2024-05-01/2024-05-02', '2024-05-06/2024-05-09']);
  assert.equal(Interval.fromDateTimes(at('2024-05-02'), at('2024-05-01')).isValid, false);
});

test('durations are converted', () => {
  assert.deepEqual(Duration.fromObject({ hours: 50, minutes: 30 }).shiftTo('days', 'hours', 'minutes').toObject(), { days: 2, hours: 2, minutes: 30 });
  assert.equal(Duration.fromISO('P1DT2H').as('hours'), 26);
  assert.equal(Duration.fromObject({ minutes: 90 }).rescale().toISO(), 'PT1H30M');
});

test('durations are written', () => {
  assert.equal(Duration.fromObject({ days: 1, hours: 0, minutes: 5 }).toHuman(), '1 day, 0 hours, 5 minutes');
  assert.equal(Duration.fromObject({ days: 1, hours: 0, minutes: 5 }).toHuman({ showZeros: false, listStyle: 'long' }), '1 day and 5 minutes');
  assert.equal(Duration.fromMillis(3_723_000).toFormat('hh:mm:ss'), '01:02:03');
  assert.equal(Duration.invalid('no').toHuman(), 'Invalid Duration');
});
