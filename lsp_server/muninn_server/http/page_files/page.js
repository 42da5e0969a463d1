// Shows the room that the address names, and the state of the connection.

import { connect, follow } from './api.js';
import { guarded, h } from './dom.js';
import { code } from './code.js';
import { cost } from './cost.js';
import { health } from './health.js';
import { memory } from './memory.js';
import { now } from './now.js';
import { sessions } from './sessions.js';
import { waiting } from './waiting.js';

const ROOMS = { memory, waiting, sessions, now, code, cost, health };
const main = document.getElementById('main');
const live = document.getElementById('live');
const project = document.querySelector('.brand span').textContent;

let leave = () => {};
let shown = 0;

/** Show the room of the address: `#memory/ID` is the room memory with ID. */
async function show(focus) {
  const [name, ...rest] = decodeURIComponent(location.hash.slice(1)).split('/');
  const room = Object.hasOwn(ROOMS, name) ? name : 'memory';
  const number = ++shown;
  leave();
  leave = () => {};
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.room === room) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const title = room[0].toUpperCase() + room.slice(1);
  document.title = `${title} of ${project}`;
  const place = h('div', { 'data-shows': room });
  await guarded(place, async () => {
    const end = await ROOMS[room](place, rest.join('/'));
    if (number === shown) leave = end ?? (() => {});
    else end?.();
  });
  if (number !== shown) return;
  if (!place.querySelector('h1')) place.prepend(h('h1', {}, title));
  main.replaceChildren(place);
  if (!focus) return;
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

window.addEventListener('hashchange', () => show(true));
connect((on) => {
  live.textContent = on ? 'live' : 'reconnecting…';
  live.className = on ? 'on' : 'off';
});
// Memory that changed elsewhere shows up when the reader is not in the middle of something.
let seen = -1;
let waits = 0;
follow((kind, data) => {
  if (kind !== 'memory' && kind !== 'state') return;
  const at = JSON.stringify(kind === 'state' ? data.memory ?? {} : data);
  const changed = seen !== -1 && seen !== at;
  seen = at;
  const busy = main.querySelector('details[open], textarea, :focus:not(main)');
  if (!changed || kind === 'state' || busy || location.hash.startsWith('#now')) return;
  clearTimeout(waits);
  waits = setTimeout(() => show(false), 400);
});
show(false);
