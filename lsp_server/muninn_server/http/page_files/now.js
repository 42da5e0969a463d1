// The room Now: active agents and events as they happen, of all repositories of the page.

import { at, call, follow } from './api.js';
import { age, bars, count, guarded, h } from './dom.js';
import { happening } from './happening.js';
import { keyOf, nameOf, repositories } from './repositories.js';

const KEPT = 200; // events in the list
const FIRST = 50; // events of the past, of each repository
const MINUTES = 30; // of the chart
const TYPES = ['prompt', 'tool_call', 'answer', 'given', 'usage'];

/** Fill the room, and follow the stream until the reader leaves. */
export async function now(place) {
  const here = repositories();
  const several = here.length > 1;
  const list = h('ul', { class: 'plain-list events' });
  const empty = h('p', { class: 'hint' }, 'No event was recorded yet. Events of agents appear here as they happen.');
  const chart = h('figure', { class: 'spark' });
  const team = h('div', {});
  const options = (pairs) => pairs.map(([value, name]) => h('option', { value }, name));
  const type = h('select', { name: 'type' }, options([['', 'all'], ...TYPES.map((kind) => [kind, kind.replace('_', ' ')])]));
  const from = h('select', { name: 'from' }, options([['*', 'all'], ...here.map(({ key, name }) => [key, name])]));
  const fits = (item) => (!type.value || item.dataset.type === type.value) && (from.value === '*' || item.dataset.from === from.value);
  const known = new Set();
  let times = [];
  const add = (key, event) => {
    const id = `${key} ${event.event_id}`;
    if (known.has(id)) return;
    known.add(id);
    const item = happening(event, undefined, several ? nameOf(key) : '');
    const moment = Date.parse(event.occurred_at);
    Object.assign(item.dataset, { from: key, moment, position: event.position });
    item.hidden = !fits(item);
    times.push(moment);
    let next = list.firstElementChild;
    const newer = (other) => Number(other.moment) > moment || (Number(other.moment) === moment && other.from === key && Number(other.position) > event.position);
    while (next && newer(next.dataset)) next = next.nextElementSibling;
    list.insertBefore(item, next);
    empty.hidden = true;
    if (list.children.length > KEPT) list.lastElementChild.remove();
  };
  const draw = () => {
    const oldest = Date.now() - MINUTES * 60_000;
    times = times.filter((moment) => moment >= oldest);
    chart.replaceChildren(...perMinute(times));
  };
  let drawing = 0;
  const soon = () => {
    clearTimeout(drawing);
    drawing = setTimeout(draw, 300);
  };
  const atWork = async () => {
    const all = await Promise.all(here.map(async ({ key }) => ({ key, ...await call('agent.list', {}, key).catch((error) => missing(key, error)) })));
    team.replaceChildren(...agents(all, several));
  };
  place.append(h('h1', {}, 'Now'), h('p', { class: 'lead' }, `What agents do, and what they are given, the newest first${several ? `, in ${count(here.length, 'repository', 'repositories')}` : ''}.`),
    team, chart, h('form', { class: 'search', onsubmit: (event) => event.preventDefault() }, h('label', {}, 'Events', type), several ? h('label', {}, 'Repository', from) : null), empty, list);
  for (const select of [type, from]) select.addEventListener('change', () => [...list.children].forEach((item) => (item.hidden = !fits(item))));
  const end = follow((kind, data) => {
    if (kind !== 'journal') return;
    add(keyOf(data), data.event);
    soon();
    if (/^muninn\.(agent|lease|handoff)/.test(data.event.event_type)) guarded(team, atWork);
  });
  const leave = () => {
    end();
    clearTimeout(drawing);
  };
  try {
    await atWork();
    await Promise.all(here.map(async ({ key }) => {
      const recent = await call('event.query', { limit: FIRST }, key).catch((error) => missing(key, error));
      for (const hit of recent.hits) add(key, hit.event);
    }));
    draw();
  } catch (error) {
    leave();
    throw error;
  }
  return leave;
}

/** What a repository shows whose daemon has ended meanwhile; the error of the page's own repository is raised. */
function missing(key, error) {
  if (key === at) throw error;
  return { agents: [], handoffs: [], hits: [] };
}

function perMinute(times) {
  const minute = Math.floor(Date.now() / 60_000);
  const sums = Array.from({ length: MINUTES }, () => 0);
  for (const moment of times) {
    const ago = minute - Math.floor(moment / 60_000);
    if (ago >= 0 && ago < MINUTES) sums[MINUTES - 1 - ago] += 1;
  }
  const total = sums.reduce((sum, each) => sum + each, 0);
  const words = `${count(total, 'event')} in the last ${MINUTES} minutes`;
  return [bars(sums, `Events per minute, oldest first: ${sums.join(', ')}`), h('figcaption', { class: 'hint' }, words)];
}

/** The active agents with their leases, and the pending hand-offs. */
function agents(all, several) {
  const label = (key) => (several ? h('span', {}, nameOf(key)) : null);
  const agent = (key, one) => h('li', {}, h('strong', {}, one.name), h('p', { class: 'meta' }, label(key), h('span', { class: 'kind' }, one.role), h('span', {}, one.task),
    one.leases.map((lease) => h('code', {}, lease)), age(one.registered_at)));
  const note = (key, one) => h('li', {}, h('strong', {}, `Hand-off ${one.number}`), ` to ${one.to || 'anyone'}: ${one.text}`, several ? h('p', { class: 'meta' }, label(key)) : null);
  const items = all.flatMap(({ key, agents: working, handoffs }) => [...working.map((one) => agent(key, one)), ...handoffs.map((one) => note(key, one))]);
  return items.length ? [h('h2', {}, 'At work'), h('ul', { class: 'plain-list' }, items)] : [];
}
