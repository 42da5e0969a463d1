// Runs of one job that never overlap. Knows nothing of what the job does.

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
      // While somebody waits, the job stays taken: a call in between must not slip in.
      if (!waiting) current = undefined;
    }
  };

  return () => {
    if (waiting) return waiting;
    if (!current) return (current = run());
    waiting = current
      .catch(() => undefined) // the failure belongs to those who asked for that run
      .then(() => {
        waiting = undefined;
        return (current = run());
      });
    return waiting;
  };
}
