// Calls verbs of the catalogue, and follows the event stream.

const token = document.querySelector('meta[name=token]').content;
let last = 0;

/** The key of the repository that the page shows, "" for this daemon's own one. */
export const at = document.querySelector('.repositories').dataset.at;

/** An error of the daemon: its message, its hint, its kind. */
export class VerbError extends Error {
  constructor({ message, data = {} }) {
    super(message);
    this.hint = data.hint ?? '';
    this.kind = data.kind ?? '';
  }
}

/** Call a verb of the repository that is shown, or of another one, and return its result. Throws VerbError. */
export async function call(verb, params = {}, key = at) {
  let response;
  try {
    response = await fetch(key ? `at/${key}/rpc` : 'rpc', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Muninn-Page': token },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++last, method: `muninn/${verb}`, params }),
    });
  } catch {
    throw new VerbError({ message: 'The daemon does not answer', data: { hint: 'Is `muninn open` still running?' } });
  }
  if (!(response.headers.get('content-type') ?? '').startsWith('application/json')) {
    const hint = response.status === 401 ? 'Run `muninn open` again.' : 'Load the page again.';
    throw new VerbError({ message: `The page was refused (${response.status})`, data: { hint } });
  }
  const { result, error } = await response.json();
  if (error) throw new VerbError(error);
  return result;
}

const listeners = new Set();

/** Call `listener(kind, data)` for each message of the stream. Returns a function that ends that. */
export function follow(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Follow the stream as long as the page is open. The browser connects again by itself and sends the last id, so that
 * no event is lost. `state(on)` is called when the stream begins and when it breaks.
 */
export function connect(state) {
  const source = new EventSource('events?heartbeat=60');
  source.onopen = () => state(true);
  source.onerror = () => {
    state(false);
    if (source.readyState !== EventSource.CLOSED) return; // the browser tries again
    setTimeout(() => connect(state), 2000);
  };
  for (const kind of ['state', 'journal', 'memory', 'index', 'repositories']) {
    source.addEventListener(kind, (message) => {
      const data = JSON.parse(message.data);
      for (const listener of [...listeners]) listener(kind, data);
    });
  }
}
