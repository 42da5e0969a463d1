// Shows the room that the address names, and the state of the connection.

import { at, connect, follow } from './api.js';
import { decoded, guarded, h } from './dom.js';
import { code } from './code.js';
import { cost } from './cost.js';
import { health } from './health.js';
import { memory } from './memory.js';
import { now } from './now.js';
import { keyOf, nameOf, watch } from './repositories.js';
import { sessions } from './sessions.js';
import { waiting } from './waiting.js';

const ROOMS = { memory, waiting, sessions, now, code, cost, health };
const main = document.getElementById('main');
const live = document.getElementById('live');
const SLOW_MS = 400; // after which a room that is not there yet says so
const project = nameOf(at);

let leave = () => {};
let shown = 0;

const busy = () => main.querySelector('details[open], textarea, :focus:not(main)') || location.hash.startsWith('#now');

/**
 * Show the room of the address: `#memory/ID` is the room memory with ID. `again` shows it anew, which a reader who
 * opens or focuses something meanwhile prevents.
 */
async function show({ focus = false, again = false }) {
  const [name, ...rest] = decoded(location.hash.slice(1)).split('/');
  const room = Object.hasOwn(ROOMS, name) ? name : 'memory';
  const number = ++shown;
  if (!again) {
    leave();
    leave = () => {};
  }
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.room === room) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const title = room[0].toUpperCase() + room.slice(1);
  document.title = `${title} of ${project}`;
  const place = h('div', { 'data-shows': room });
  const loading = () => main.replaceChildren(h('h1', {}, title), h('p', { class: 'hint', role: 'status' }, 'Loading…'));
  const slow = focus ? setTimeout(() => number === shown && loading(), SLOW_MS) : 0;
  let end;
  await guarded(place, async () => {
    end = await ROOMS[room](place, rest.join('/'));
  });
  clearTimeout(slow);
  if (number !== shown || (again && busy())) {
    end?.();
    return;
  }
  leave();
  leave = end ?? (() => {});
  if (!place.querySelector('h1')) place.prepend(h('h1', {}, title));
  main.replaceChildren(place);
  main.setAttribute('aria-label', place.querySelector('h1').textContent);
  if (!focus) return;
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

window.addEventListener('hashchange', () => show({ focus: true }));
watch(() => location.hash.startsWith('#now') && show({}));
connect((on) => {
  live.textContent = on ? 'live' : 'reconnecting…';
  live.className = on ? 'on' : 'off';
});

let known = null;
let waits = 0;

/** Show the room again soon, unless the reader is in the middle of something. */
function refresh() {
  clearTimeout(waits);
  waits = setTimeout(() => busy() || show({ again: true }), 400);
}

follow((kind, data) => {
  if (keyOf(data) !== at) return;
  if (kind === 'memory') refresh();
  if (kind !== 'state') return;
  const position = JSON.stringify(data.memory);
  if (known !== null && known !== position) refresh(); // memory changed while the connection was broken
  known = position;
});
show({});
