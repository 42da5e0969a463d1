// The room Sessions: what agents did, turn by turn, and what was kept of it.

import { call } from './api.js';
import { age, button, count, h, moreButton } from './dom.js';
import { card } from './card.js';
import { happening } from './happening.js';

const FIRST = 200; // sessions of the list
const MOST_SPANS = 1000; // that one call returns

/** Fill the room. `id` shows one session. */
export async function sessions(place, id) {
  if (id) return one(place, id);
  const lead = h('p', { class: 'lead' });
  const list = h('div', { class: 'list' });
  const more = h('p', {});
  const show = async (limit) => {
    const { rows, rest } = await newest(limit);
    lead.textContent = rows.length ? `${count(rows.length, 'session')}, newest first.${rest ? ' There are more.' : ''}` : 'No session was recorded yet. `muninn install claude-code` connects an agent.';
    list.replaceChildren(...rows.map(row));
    more.replaceChildren(...(rest ? [moreButton('Show more', list, () => show(limit * 4))] : []));
  };
  place.append(h('h1', {}, 'Sessions'), lead, list, more);
  await show(FIRST);
}

/** The sessions that left memories or events, and whether there are more. */
async function newest(limit) {
  const most = Math.min(limit, MOST_SPANS);
  const [kept, spans] = await Promise.all([call('sessions', { limit }), call('span.list', { kind: 'session', limit: most })]);
  const all = new Map();
  for (const span of spans.spans) all.set(span.session_id || span.id, { id: span.session_id || span.id, begin: span.opened_at, end: span.closed_at || span.opened_at, about: [span.type, span.status] });
  for (const each of kept.sessions) {
    const known = all.get(each.session);
    all.set(each.session, { id: each.session, title: each.title, begin: known?.begin ?? each.begin, end: each.end,
      about: [each.agent || each.actor, each.branch, each.memories ? count(each.memories, 'memory', 'memories') : ''] });
  }
  const rest = kept.total > kept.sessions.length || (spans.spans.length === most && most < MOST_SPANS);
  return { rows: [...all.values()].sort((a, b) => (a.begin < b.begin ? 1 : -1)), rest };
}

function row(one) {
  return h('article', {}, h('h2', {}, h('a', { href: `#sessions/${encodeURIComponent(one.id)}` }, one.title || one.id)),
    h('p', { class: 'meta' }, one.about.filter(Boolean).map((text) => h('span', {}, text)), age(one.begin)));
}

async function one(place, id) {
  const [turns, first, memories, traces, given] = await Promise.all([call('span.list', { kind: 'turn', session_id: id, limit: 1000 }),
    call('event.query', { session_id: id, limit: 500 }), call('memories', { session: id, limit: 200 }),
    call('memories', { session: id, type: 'context_hit', archived: true, limit: 200 }), call('given', { session: id, limit: 500 })]);
  place.append(h('h1', {}, 'Session'), h('p', {}, h('a', { href: '#sessions' }, 'All sessions')), h('p', { class: 'hint' }, id));
  const status = new Map(turns.spans.map((span) => [span.turn_id || span.id, span]));
  const list = h('div', {});
  const more = h('p', {});
  const answers = new Map(given.answers.map((answer) => [answer.position, answer]));
  let events = [];
  const show = (page) => {
    events = [...page.hits.map((hit) => hit.event).reverse(), ...events];
    list.replaceChildren(...drawn(events, status, answers));
    more.replaceChildren(...(page.next ? [button('Show earlier events', async () => {
      show(await call('event.query', { session_id: id, limit: 500, before: page.next }));
      (more.querySelector('button') ?? list.querySelector('summary, a'))?.focus();
    })] : []));
  };
  show(first);
  if (given.counts.shown) {
    const { shown, used, refuted } = given.counts;
    place.append(h('p', { class: 'lead' }, `The agent was given ${count(shown, 'item')}: ${used} used, ${refuted} refuted.`));
  }
  place.append(more, list);
  if (!events.length) place.append(h('p', { class: 'hint' }, 'The journal has no events of this session.'));
  const commits = committed([...memories.memories, ...traces.memories]);
  if (commits.length) {
    place.append(h('section', { 'aria-label': 'Commits' }, h('h2', {}, `Commits (${commits.length})`), h('ul', { class: 'plain-list' }, commits.map(([sha, memory]) => h('li', {},
      h('code', {}, sha), ` ${memory.title} `, memory.files.filter((file) => !file.startsWith('.muninn/')).slice(0, 5).map((file) => [h('a', { href: `#code/${encodeURIComponent(file)}` }, h('code', {}, file)), ' ']))))));
  }
  if (memories.memories.length) {
    place.append(h('section', { 'aria-label': 'What was kept' }, h('h2', {}, `What was kept (${memories.total})`), h('div', { class: 'list' },
      memories.memories.map((memory) => card(memory, { citations: memories.citations[memory.id] })))));
  }
}

/** The commits of a session, oldest first, with the memory that each left: what was kept of it, or a note of its files. */
function committed(memories) {
  const found = new Map();
  for (const memory of memories) if (memory.details.commit) found.set(memory.details.commit.slice(0, 7), memory);
  return [...found].sort(([, one], [, other]) => (one.ts < other.ts ? -1 : 1));
}

function drawn(events, status, answers) {
  const turns = new Map();
  for (const event of events) {
    if (event.event_type.startsWith('muninn.turn')) continue;
    const turn = event.turn_id || event.trace_id || '';
    if (!turns.has(turn)) turns.set(turn, []);
    turns.get(turn).push(event);
  }
  let number = 0;
  return [...turns].map(([turn, list]) => {
    const span = status.get(turn);
    const name = turn ? `Turn ${++number}` : 'Outside of turns';
    return h('section', { 'aria-label': name }, h('h2', {}, name), h('p', { class: 'meta' }, span ? h('span', {}, span.status) : null, age(list[0].occurred_at)),
      h('ul', { class: 'plain-list events' }, list.map((event) => happening(event, answers.get(event.position)))));
  });
}
