// The room Now: events as they happen.

import { call, follow } from './api.js';
import { h } from './dom.js';
import { happening } from './happening.js';

const KEPT = 200;

/** Fill the room, and follow the stream until the reader leaves. */
export async function now(place) {
  const list = h('ul', { class: 'plain-list events' });
  const known = new Set();
  const type = h('select', { name: 'type' }, ['', 'prompt', 'tool_call', 'answer', 'given', 'usage'].map((kind) => h('option', { value: kind }, kind ? kind.replace('_', ' ') : 'all')));
  const fits = (item) => !type.value || item.dataset.type === type.value;
  const add = (event, first) => {
    if (known.has(event.event_id)) return;
    known.add(event.event_id);
    const item = happening(event);
    item.hidden = !fits(item);
    if (first) list.prepend(item);
    else list.append(item);
    empty.hidden = true;
    if (list.children.length > KEPT) list.lastElementChild.remove();
  };
  const empty = h('p', { class: 'hint' }, 'No event was recorded yet. Events of agents appear here as they happen.');
  place.append(h('h1', {}, 'Now'), h('p', { class: 'lead' }, 'What agents do, and what they are given, the newest first.'),
    h('form', { class: 'search', onsubmit: (event) => event.preventDefault() }, h('label', {}, 'Events', type)), empty, list);
  type.addEventListener('change', () => [...list.children].forEach((item) => (item.hidden = !fits(item))));
  const end = follow((kind, data) => kind === 'journal' && add(data.event, true));
  try {
    const recent = await call('event.query', { limit: 50 });
    for (const hit of recent.hits) add(hit.event, false);
  } catch (error) {
    end();
    throw error;
  }
  return end;
}
