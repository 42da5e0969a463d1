import { expect, test } from 'vitest';
import { backoff } from '../../src/backoff';

test('the first restart is immediate, later delays double, and then restarts stop', () => {
  const next = backoff(4, 1000, 100);
  expect([1, 2, 3, 4, 5].map(next)).toEqual([0, 100, 200, 400, undefined]);
});

test('ends older than the span do not count', () => {
  const next = backoff(1, 1000, 100);
  expect([0, 500, 2000].map(next)).toEqual([0, undefined, 0]);
});
