import { expect, test } from 'vitest';
import { allowance } from '../../src/allowance';

test('so many events are allowed within the span, and one more is not', () => {
  const may = allowance(2, 1000);
  expect([may(0), may(10), may(20)]).toEqual([true, true, false]);
});

test('events that are older than the span no longer count', () => {
  const may = allowance(2, 1000);
  may(0);
  may(900);
  expect(may(1500)).toBe(true);
  expect(may(1600)).toBe(false);
});
