// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime, Duration, Interval, Settings } from '../src/luxon.js';

Settings.defaultZone = 'utc';
Settings.defaultLocale = 'en';

const span = (start, length) => Interval.after(DateTime.fromISO(start), length);
const BOOKINGS = [
  span('2024-05-06T09:00', { hours: 2, minutes: 14 }), span('2024-05-06T10:00', { minutes: 45, seconds: 40 }),
  span('2024-05-06T11:14', { minutes: 46 }), span('2024-05-08T08:00', { hours: 30 }),
];

test('how long each stretch is, in words', () => {
  const words = Interval.concurrency(BOOKINGS).map(({ interval, count }) => `${count}: ${interval.toDuration().toHuman({ largest: 2 })}`);
  assert.deepEqual(words, ['1: 1 hour', '2: 45 minutes, 40 seconds', '1: 1 hour, 14 minutes', '0: 1 day, 20 hours', '1: 1 day, 6 hours']);
});

test('the busiest time, in words', () => {
  const { count, intervals } = Interval.busiest(BOOKINGS);
  assert.deepEqual([count, intervals.map((one) => one.toDuration().toHuman({ largest: 1 }))], [2, ['46 minutes']]);
  assert.deepEqual(Interval.busiest([]).intervals.map((one) => one.toDuration().toHuman({ largest: 1 })), []);
});

test('all the time without a booking, in words', () => {
  const free = Interval.concurrency(BOOKINGS).filter(({ count }) => count === 0).reduce((sum, { interval }) => sum.plus(interval.toDuration()), Duration.fromMillis(0));
  assert.equal(free.toHuman({ largest: 1 }), '2 days');
  assert.equal(free.toHuman({ largest: 5 }), '1 day, 20 hours');
});

test('each refuses what it has to', () => {
  assert.throws(() => Interval.concurrency([Interval.invalid('no')]), Error);
  assert.throws(() => BOOKINGS[0].toDuration().toHuman({ largest: 0 }), Error);
  assert.equal(Interval.concurrency([BOOKINGS[3]])[0].interval.toDuration('hours').toHuman(), '30 hours');
  assert.equal(Interval.concurrency([BOOKINGS[3]])[0].interval.toDuration('hours').toHuman({ largest: 1 }), '1 day');
});
