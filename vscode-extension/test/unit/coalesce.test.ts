import { expect, test } from 'vitest';
import { coalesced } from '../../src/coalesce';

/** A job whose runs end when the test says so. */
function controlled() {
  const runs: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let most = 0;
  let now = 0;
  const job = async (): Promise<void> => {
    most = Math.max(most, ++now);
    try {
      await new Promise<void>((resolve, reject) => runs.push({ resolve, reject }));
    } finally {
      now -= 1;
    }
  };
  return { job, runs, most: () => most };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('calls during a run share one further run', async () => {
  const { job, runs, most } = controlled();
  const go = coalesced(job);
  const first = go();
  const others = [go(), go(), go()];
  expect(runs.length).toBe(1);
  runs[0]!.resolve();
  await first;
  await settle();
  expect(runs.length).toBe(2);
  runs[1]!.resolve();
  await Promise.all(others);
  expect(runs.length).toBe(2);
  expect(most()).toBe(1);
});

test('a failed run rejects its own callers, and the next one runs', async () => {
  const { job, runs } = controlled();
  const go = coalesced(job);
  const first = go();
  const second = go();
  runs[0]!.reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await settle();
  runs[1]!.resolve();
  await expect(second).resolves.toBeUndefined();
});

test('a call between two runs does not overlap the pending run', async () => {
  const { job, runs, most } = controlled();
  const go = coalesced(job);
  const between = go().then(() => go());
  const waiting = go();
  runs[0]!.resolve();
  await settle();
  expect(most()).toBe(1);
  for (let next = 1; next < runs.length; next += 1) {
    runs[next]!.resolve();
    await settle();
  }
  await Promise.all([between, waiting]);
  expect(most()).toBe(1);
});

test('a call after the end starts a new run', async () => {
  let count = 0;
  const go = coalesced(async () => void (count += 1));
  await go();
  await go();
  expect(count).toBe(2);
});
