// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime, Duration, Interval, Settings } from '../src/luxon.js';

Settings.defaultZone = 'utc';
Settings.defaultLocale = 'en';

function says(values, largest, want, options = {}) {
  assert.equal(Duration.fromObject(values).toHuman({ ...options, largest }), want, `${JSON.stringify(values)}, ${largest}`);
}

const LONG = { days: 2, hours: 3, minutes: 12, seconds: 4, milliseconds: 220 };

test('only so many units', () => {
  says(LONG, 1, '2 days');
  says(LONG, 2, '2 days, 3 hours');
  says(LONG, 3, '2 days, 3 hours, 12 minutes');
  says(LONG, 4, '2 days, 3 hours, 12 minutes, 4 seconds');
  for (const largest of [5, 6, 100]) says(LONG, largest, '2 days, 3 hours, 12 minutes, 4 seconds, 220 milliseconds');
});

test('starting from the largest that is not zero', () => {
  says({ minutes: 12, seconds: 4 }, 1, '12 minutes');
  says({ days: 0, hours: 0, minutes: 12, seconds: 4 }, 2, '12 minutes, 4 seconds');
  says({ seconds: 4, milliseconds: 220 }, 2, '4 seconds, 220 milliseconds');
  says({ milliseconds: 220 }, 1, '220 milliseconds');
});

test('other units are told in these', () => {
  says({ milliseconds: 183_124_000 }, 2, '2 days, 3 hours');
  says({ weeks: 1, days: 1, hours: 5 }, 2, '8 days, 5 hours');
  says({ hours: 50 }, 1, '2 days');
  says({ years: 1 }, 1, '365 days');
  says({ months: 2, hours: 7 }, 2, '60 days, 7 hours');
  says({ quarters: 1 }, 1, '91 days');
  says({ days: 1.5 }, 2, '1 day, 12 hours');
  says({ hours: 0.5 }, 1, '30 minutes');
  says({ days: 1, hours: -1 }, 2, '23 hours');
  says({ minutes: 90, seconds: 90 }, 3, '1 hour, 31 minutes, 30 seconds');
});

test('by the conversion that the duration has', () => {
  const year = (conversionAccuracy, largest) => Duration.fromObject({ years: 1 }, { conversionAccuracy }).toHuman({ largest });
  assert.equal(year('casual', 2), '365 days');
  assert.equal(year('longterm', 2), '365 days, 6 hours');
  assert.equal(year('longterm', 3), '365 days, 5 hours, 49 minutes');
});

test('the last one is rounded', () => {
  says({ days: 2, hours: 12 }, 1, '3 days');
  says({ days: 2, hours: 11, minutes: 59, seconds: 59, milliseconds: 999 }, 1, '2 days');
  says({ hours: 3, minutes: 12, seconds: 30 }, 2, '3 hours, 13 minutes');
  says({ hours: 3, minutes: 12, seconds: 29 }, 2, '3 hours, 12 minutes');
  says({ minutes: 1, milliseconds: 500 }, 2, '1 minute, 1 second');
  says({ seconds: 1, milliseconds: 499 }, 1, '1 second');
  says({ seconds: 1, milliseconds: 500 }, 1, '2 seconds');
});

test('what is rounded up carries over', () => {
  says({ minutes: 59, seconds: 40 }, 1, '1 hour');
  says({ hours: 23, minutes: 59, seconds: 30 }, 2, '1 day');
  says({ hours: 23, minutes: 59, seconds: 29 }, 2, '23 hours, 59 minutes');
  says({ days: 1, hours: 23, minutes: 30 }, 2, '2 days');
  says({ days: 1, hours: 23, minutes: 59, seconds: 59, milliseconds: 500 }, 4, '2 days');
  says({ seconds: 59, milliseconds: 999 }, 1, '1 minute');
  says({ milliseconds: 999.6 }, 1, '1 second');
  says({ hours: 1, minutes: 59, seconds: 59, milliseconds: 999.5 }, 5, '2 hours');
});

test('zeros are not shown', () => {
  for (const options of [{}, { showZeros: true }, { showZeros: false }]) {
    says({ days: 2, minutes: 12 }, 1, '2 days', options);
    says({ days: 2, minutes: 12 }, 2, '2 days', options);
    says({ days: 2, minutes: 12 }, 3, '2 days, 12 minutes', options);
    says({ days: 2, minutes: 12, milliseconds: 1 }, 5, '2 days, 12 minutes, 1 millisecond', options);
    says({ days: 2, hours: 0, minutes: 31 }, 2, '2 days, 1 hour', options);
  }
});

test('fractions of a millisecond', () => {
  says({ milliseconds: 1.4 }, 1, '1 millisecond');
  says({ milliseconds: 1.5 }, 1, '2 milliseconds');
  says({ seconds: 1, milliseconds: 499.6 }, 1, '2 seconds');
  says({ milliseconds: -1.5 }, 1, '-2 milliseconds');
});

test('nothing is left', () => {
  for (const values of [{}, { seconds: 0 }, { days: 0, hours: 0 }, { milliseconds: 0.4 }, { milliseconds: -0.4 }, { hours: 1, minutes: -60 }, { years: 0 }]) {
    says(values, 1, '0 seconds');
    says(values, 3, '0 seconds');
  }
});

test('negative durations', () => {
  says({ days: -2, hours: -3, minutes: -40 }, 2, '-2 days, -4 hours');
  says({ minutes: -90 }, 1, '-2 hours');
  says({ minutes: -89 }, 1, '-1 hour');
  says({ minutes: -59, seconds: -40 }, 1, '-1 hour');
  says({ days: -1, hours: 1 }, 2, '-23 hours');
  says({ days: -2, minutes: -12 }, 3, '-2 days, -12 minutes');
});

test('other options and the locale', () => {
  says(LONG, 2, '2 days and 3 hours', { listStyle: 'long' });
  says(LONG, 2, Duration.fromObject({ days: 2, hours: 3 }).toHuman({ unitDisplay: 'short' }), { unitDisplay: 'short' });
  says(LONG, 2, Duration.fromObject({ days: 2, hours: 3 }).toHuman({ unitDisplay: 'narrow', listStyle: 'short' }), { unitDisplay: 'narrow', listStyle: 'short' });
  says({ days: 1200.4 }, 1, '1200 days', { useGrouping: false });
  const german = (values) => Duration.fromObject(values, { locale: 'de' });
  assert.equal(german(LONG).toHuman({ largest: 2 }), german({ days: 2, hours: 3 }).toHuman());
  const arabic = Duration.fromObject(LONG, { numberingSystem: 'beng' });
  assert.equal(arabic.toHuman({ largest: 2 }), Duration.fromObject({ days: 2, hours: 3 }, { numberingSystem: 'beng' }).toHuman());
});

test('the duration and the options stay as they were', () => {
  const duration = Duration.fromObject({ hours: 50, minutes: 1 });
  const options = Object.freeze({ largest: 1 });
  assert.equal(duration.toHuman(options), '2 days');
  assert.deepEqual(duration.toObject(), { hours: 50, minutes: 1 });
});

test('what largest may be', () => {
  const duration = Duration.fromObject(LONG);
  for (const largest of [0, -1, 1.5, NaN, Infinity, '2', null, true, [2], {}]) assert.throws(() => duration.toHuman({ largest }), Error, String(largest));
  assert.equal(duration.toHuman({ largest: undefined }), duration.toHuman());
  assert.equal(duration.toHuman(), '2 days, 3 hours, 12 minutes, 4 seconds, 220 milliseconds');
  assert.equal(Duration.fromObject({ hours: 0, minutes: 90 }).toHuman({}), '0 hours, 90 minutes');
  assert.equal(Duration.invalid('no').toHuman({ largest: 2 }), 'Invalid Duration');
  assert.equal(duration.toHuman({ largest: 1 }), '2 days');
});
