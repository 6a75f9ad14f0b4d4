// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime, Duration, Interval, Settings } from '../src/luxon.js';

Settings.defaultZone = 'utc';
Settings.defaultLocale = 'en';

const at = (time) => DateTime.fromISO(`2024-05-06T${time}`);
const booking = (start, end) => Interval.fromDateTimes(at(start), at(end));
const rows = (stretches) => stretches.map(({ interval, count }) => [interval.start.toFormat('HH:mm'), interval.end.toFormat('HH:mm'), count]);

/** The rows, of the intervals in every order of them. */
function counts(intervals, want) {
  const orders = (list) => (list.length < 2 ? [list] : list.flatMap((one, index) => orders(list.filter((_, other) => other !== index)).map((rest) => [one, ...rest])));
  for (const order of orders(intervals)) assert.deepEqual(rows(Interval.concurrency(order)), want);
}

test('one interval', () => {
  counts([booking('09:00', '10:00')], [['09:00', '10:00', 1]]);
});

test('intervals that overlap', () => {
  counts([booking('09:00', '11:00'), booking('10:00', '12:00')], [['09:00', '10:00', 1], ['10:00', '11:00', 2], ['11:00', '12:00', 1]]);
  counts([booking('09:00', '12:00'), booking('10:00', '11:00'), booking('10:30', '12:00')],
    [['09:00', '10:00', 1], ['10:00', '10:30', 2], ['10:30', '11:00', 3], ['11:00', '12:00', 2]]);
});

test('the same twice', () => {
  counts([booking('09:00', '10:00'), booking('09:00', '10:00'), booking('09:00', '10:30')], [['09:00', '10:00', 3], ['10:00', '10:30', 1]]);
});

test('a gap has the count 0', () => {
  counts([booking('09:00', '10:00'), booking('11:00', '12:00'), booking('14:00', '15:00')],
    [['09:00', '10:00', 1], ['10:00', '11:00', 0], ['11:00', '12:00', 1], ['12:00', '14:00', 0], ['14:00', '15:00', 1]]);
});

test('a stretch goes on as long as the count does', () => {
  counts([booking('09:00', '10:00'), booking('10:00', '11:00'), booking('11:00', '11:30')], [['09:00', '11:30', 1]]);
  counts([booking('09:00', '10:00'), booking('09:00', '11:00'), booking('10:00', '12:00'), booking('11:00', '12:00')], [['09:00', '12:00', 2]]);
  counts([booking('08:00', '12:00'), booking('09:00', '10:00'), booking('10:00', '11:00')], [['08:00', '09:00', 1], ['09:00', '11:00', 2], ['11:00', '12:00', 1]]);
});

test('empty intervals count for nothing', () => {
  counts([booking('09:00', '10:00'), booking('09:30', '09:30'), booking('08:00', '08:00'), booking('12:00', '12:00')], [['09:00', '10:00', 1]]);
  counts([booking('09:00', '10:00'), booking('10:00', '10:00'), booking('09:00', '09:00'), booking('10:00', '11:00')], [['09:00', '11:00', 1]]);
});

test('nothing at all', () => {
  for (const none of [[], [booking('09:00', '09:00')], [booking('09:00', '09:00'), booking('10:00', '10:00')]]) {
    assert.deepEqual(Interval.concurrency(none), []);
    assert.deepEqual(Interval.busiest(none), { count: 0, intervals: [] });
  }
});

test('what comes back are intervals', () => {
  for (const { interval, count } of Interval.concurrency([booking('09:00', '11:00'), booking('10:00', '12:00')])) {
    assert.ok(Interval.isInterval(interval) && interval.isValid);
    assert.equal(typeof count, 'number');
    assert.equal(interval.length('minutes'), 60);
  }
});

test('other zones and lengths', () => {
  const far = Interval.fromDateTimes(DateTime.fromISO('2024-05-06T05:30', { zone: 'America/New_York' }), DateTime.fromISO('2024-05-07T05:30', { zone: 'America/New_York' }));
  const got = Interval.concurrency([far, booking('09:00', '10:00')]);
  assert.deepEqual(got.map(({ interval, count }) => [+interval.start, +interval.end, count]),
    [[+at('09:00'), +at('09:30'), 1], [+at('09:30'), +at('10:00'), 2], [+at('10:00'), +DateTime.fromISO('2024-05-07T09:30'), 1]]);
});

test('the array is left as it was', () => {
  const intervals = [booking('11:00', '12:00'), booking('09:00', '11:30'), booking('10:00', '10:00'), booking('09:00', '10:00')];
  const before = [...intervals];
  Object.freeze(intervals);
  Interval.concurrency(intervals);
  Interval.busiest(intervals);
  intervals.forEach((one, index) => assert.equal(one, before[index]));
});

test('when it is busiest', () => {
  const busiest = (...intervals) => { const { count, intervals: found } = Interval.busiest(intervals); return [count, found.map((one) => one.toFormat('HH:mm'))]; };
  assert.deepEqual(busiest(booking('09:00', '11:00'), booking('10:00', '12:00')), [2, ['10:00 – 11:00']]);
  assert.deepEqual(busiest(booking('11:00', '12:00'), booking('09:00', '10:00')), [1, ['09:00 – 10:00', '11:00 – 12:00']]);
  assert.deepEqual(busiest(booking('09:00', '18:00'), booking('10:00', '11:00'), booking('16:00', '17:00'), booking('11:00', '12:00')), [2, ['10:00 – 12:00', '16:00 – 17:00']]);
});

test('what is no valid interval is refused', () => {
  for (const bad of [Interval.invalid('no'), Interval.fromDateTimes(at('10:00'), at('09:00')), null, undefined, 5, '2024-05-06/2024-05-07', {}, at('09:00'), [booking('09:00', '10:00')]]) {
    for (const list of [[bad], [booking('09:00', '10:00'), bad], [bad, booking('09:00', '10:00')]]) {
      assert.throws(() => Interval.concurrency(list), Error);
      assert.throws(() => Interval.busiest(list), Error);
    }
  }
  assert.equal(Interval.concurrency([booking('09:00', '10:00')]).length, 1);
});

test('many bookings, counted minute by minute', () => {
  let seed = 7;
  const random = (below) => { seed = (seed * 48271) % 2147483647; return seed % below; };
  for (let round = 0; round < 40; round += 1) {
    const spans = Array.from({ length: 1 + random(12) }, () => { const start = random(60); return [start, start + random(20)]; });
    const clock = (minute) => at('08:00').plus({ minutes: minute });
    const stretches = Interval.concurrency(spans.map(([start, end]) => Interval.fromDateTimes(clock(start), clock(end))));
    const got = stretches.flatMap(({ interval, count }) => Array(interval.length('minutes')).fill(count));
    const solid = spans.filter(([start, end]) => start < end);
    const [from, to] = [Math.min(...solid.map(([start]) => start)), Math.max(...solid.map(([, end]) => end))];
    const want = solid.length === 0 ? [] : Array.from({ length: to - from }, (_, index) => solid.filter(([start, end]) => start <= from + index && from + index < end).length);
    assert.deepEqual(got, want);
    stretches.slice(1).forEach(({ interval, count }, index) => {
      assert.notEqual(count, stretches[index].count);
      assert.equal(+interval.start, +stretches[index].interval.end);
    });
  }
});
