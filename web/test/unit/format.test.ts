import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  exactBytes,
  fixed,
  formatAge,
  formatAgo,
  formatBytes,
  formatCount,
  formatFactor,
  formatFileSize,
  formatPercent,
  ownUnit,
  pageUnit,
  plural,
  timesText,
  unitFor,
  unbroken,
} from '../../src/util/format';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

test('half away from zero, where toFixed is not', () => {
  assert.equal((1.005).toFixed(2), '1.00');
  assert.equal(fixed(1.005, 2), '1.01');
  assert.equal(fixed(8.345, 2), '8.35');
  assert.equal(fixed(-2.5, 0), '\u22123');
  assert.equal(fixed(0.25, 1), '0.3');
  assert.equal(fixed(1e-7, 2), '0.00');
  assert.equal(fixed(-1e-7, 2), '0.00');
  assert.equal(fixed(1e21, 0).replace(/,/g, '').length, 22);
  assert.equal(fixed(1234567.891, 1), '1,234,567.9');
  assert.equal(fixed(999.95, 1), '1,000.0');
  assert.equal(fixed(Number.NaN, 1), 'unknown');
});

test('one unit per page', () => {
  assert.equal(unitFor(10 * GIB - 1), 'MiB');
  assert.equal(unitFor(10 * GIB), 'GiB');
  assert.equal(unitFor(10 * GIB, true), 'MiB');
  assert.equal(unitFor(null), 'MiB');
  assert.equal(unitFor(MIB), 'MiB');
  assert.equal(unitFor(164_557), 'KiB');
  assert.equal(unitFor(164_557, true), 'MiB');
  assert.equal(unitFor(1023), 'B');
  assert.equal(formatBytes(6226.3 * MIB), '6,226.3 MiB');
  pageUnit.value = 'GiB';
  assert.equal(formatBytes(22.9 * GIB), '22.90 GiB');
  assert.equal(formatBytes(22.9 * GIB, { withUnit: false }), '22.90');
  pageUnit.value = 'MiB';
});

test('zero, unknown, signs, small parts', () => {
  assert.equal(formatBytes(0), '0');
  assert.equal(formatBytes(null), 'unknown');
  assert.equal(formatBytes(undefined), 'unknown');
  assert.equal(formatBytes(-3285.6 * MIB), '\u22123,285.6 MiB');
  assert.equal(formatBytes(5 * MIB, { sign: true }), '+5.0 MiB');
  assert.equal(formatBytes(80 * 1024, { unit: 'own' }), '80.0 KiB');
  assert.equal(formatBytes(12, { unit: 'own' }), '12 B');
  assert.equal(formatBytes(512), '512 B');
  assert.equal(formatBytes(-512, { withUnit: false }), '\u2212512 B');
  assert.equal(formatBytes(52428, { withUnit: false }), '51.2 KiB');
  assert.equal(formatBytes(52429, { withUnit: false }), '0.1');
  assert.equal(formatBytes(5 * MIB, { unit: 'GiB' }), '5.0 MiB');
  assert.equal(formatBytes(512, { sign: true }), '+512 B');
  assert.equal(ownUnit(-20 * GIB), 'GiB');
});

test('exact bytes', () => {
  assert.equal(exactBytes(6528761856), '6,528,761,856 bytes');
  assert.equal(exactBytes(1), '1 byte');
  assert.equal(exactBytes(0), '0 bytes');
  assert.equal(exactBytes('18446744073709551615'), '18,446,744,073,709,551,615 bytes');
  assert.equal(exactBytes(null), 'unknown');
});

test('counts, shares, factors', () => {
  assert.equal(formatCount(54323), '54,323');
  assert.equal(formatCount(null), 'unknown');
  assert.equal(formatPercent(0.38), '38 %');
  assert.equal(formatPercent(0.08245, 1), '8.2 %');
  assert.equal(formatPercent(0.0004, 1), '< 0.1 %');
  assert.equal(formatPercent(0.0005, 1), '0.1 %');
  assert.equal(formatPercent(0.004), '< 1 %');
  assert.equal(formatPercent(-0.0004, 1), '> \u22120.1 %');
  assert.equal(formatPercent(0, 1), '0 %');
  assert.equal(formatPercent(36), '36x');
  assert.equal(formatPercent(Number.POSITIVE_INFINITY), 'unknown');
  assert.equal(formatFactor(16), '16.00x');
  assert.equal(plural(1, 'run'), '1 run');
  assert.equal(timesText(1), 'once');
  assert.equal(timesText(1200), '1,200 times');
  assert.equal(plural(2000, 'run'), '2,000 runs');
});

test('file sizes are decimal', () => {
  assert.equal(formatFileSize(999), '999 B');
  assert.equal(formatFileSize(49_700), '49.7 kB');
  assert.equal(formatFileSize(999_940), '999.9 kB');
  assert.equal(formatFileSize(999_960), '1.0 MB');
  assert.equal(formatFileSize(4_800_000_000), '4.8 GB');
});

test('ages', () => {
  const now = new Date(2026, 10, 21, 14).getTime();
  const minute = 60_000;
  assert.equal(formatAge(now - 20_000, now), 'now');
  assert.equal(formatAge(now - 4 * minute, now), '4 min');
  assert.equal(formatAge(now - 60 * minute, now), '1 h');
  assert.equal(formatAge(now - 24 * 60 * minute, now), '1 day');
  assert.equal(formatAge(now - 29 * 24 * 60 * minute, now), '29 days');
  assert.equal(formatAge(new Date(2025, 2, 11).getTime(), now), '2025-03');
  assert.equal(formatAge(now + 10 * minute, now), 'in future');
  assert.equal(formatAgo(now, now), 'now');
  assert.equal(formatAgo(now - 4 * minute, now), '4 min ago');
  assert.equal(formatAgo(new Date(2025, 2, 11).getTime(), now), 'in 2025-03');
});

test('a number stays on one line with its unit', () => {
  assert.equal(
    unbroken('full 0.4 % of the time: 91.6 ms, 5.01 GiB, 6 of them, 3 sums'),
    'full 0.4\u00a0% of the time: 91.6\u00a0ms, 5.01\u00a0GiB, 6 of them, 3 sums',
  );
});
