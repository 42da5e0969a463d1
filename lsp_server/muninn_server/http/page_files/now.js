// The room Now: events as they happen.

import { call, follow } from './api.js';
import { age, guarded, h } from './dom.js';
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
  const team = h('div', {});
  const atWork = async () => team.replaceChildren(...agents(await call('agent.list')));
  await atWork();
  place.append(h('h1', {}, 'Now'), h('p', { class: 'lead' }, 'What agents do, and what they are given, the newest first.'),
    team, h('form', { class: 'search', onsubmit: (event) => event.preventDefault() }, h('label', {}, 'Events', type)), empty, list);
  type.addEventListener('change', () => [...list.children].forEach((item) => (item.hidden = !fits(item))));
  const end = follow((kind, data) => {
    if (kind !== 'journal') return;
    add(data.event, true);
    if (/^muninn\.(agent|lease|handoff)/.test(data.event.event_type)) guarded(team, atWork);
  });
  try {
    const recent = await call('event.query', { limit: 50 });
    for (const hit of recent.hits) add(hit.event, false);
  } catch (error) {
    end();
    throw error;
  }
  return end;
}

/** The agents at work with their leases, and the hand-offs that wait. */
function agents({ agents: all, handoffs }) {
  if (!all.length && !handoffs.length) return [];
  const agent = (one) => h('li', {}, h('strong', {}, one.name), h('p', { class: 'meta' }, h('span', { class: 'kind' }, one.role), h('span', {}, one.task),
    one.leases.map((lease) => h('code', {}, lease)), age(one.registered_at)));
  const note = (one) => h('li', {}, h('strong', {}, `Hand-off ${one.number}`), ` to ${one.to || 'anyone'}: ${one.text}`);
  return [h('h2', {}, 'At work'), h('ul', { class: 'plain-list' }, all.map(agent), handoffs.map(note))];
}
