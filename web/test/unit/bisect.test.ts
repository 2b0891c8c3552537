import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstThat, lastAtOrBelow } from '../../src/util/bisect';

test('binary search: the first index that reaches a condition, the last value at or below another, at every length', () => {
  for (let n = 0; n < 20; n++) {
    const values = Array.from({ length: n }, (_, i) => Math.floor(i / 2) * 10); // 0 0 10 10 20 …
    for (let wanted = -5; wanted < n * 10; wanted += 5) {
      const above = values.findIndex((value) => value > wanted);
      const first = above < 0 ? n : above;
      assert.equal(
        firstThat(n, (i) => values[i] > wanted),
        first,
      );
      assert.equal(lastAtOrBelow(values, wanted), first - 1);
    }
  }
});
