// Runs of a job that never overlap.

/**
 * Returns a function that runs `job`, one run at a time. A call during a run asks for one more run after it; further
 * calls until then share that one. Each promise settles with the run that began after the call.
 */
export function coalesced(job: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    try {
      await job();
    } finally {
      // While a call waits, `current` stays set: a call at this moment must not start a run of its own.
      if (!waiting) current = undefined;
    }
  };

  return () => {
    if (waiting) return waiting;
    if (!current) return (current = run());
    waiting = current
      .catch(() => undefined) // the callers of that run get its error
      .then(() => {
        waiting = undefined;
        return (current = run());
      });
    return waiting;
  };
}
