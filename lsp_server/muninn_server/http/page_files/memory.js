// The room Memory: search with reasons, filters, a timeline; each memory with its history and what can be done.

import { call } from './api.js';
import { bars, count, guarded, h, moreButton } from './dom.js';
import { card } from './card.js';

const PAGE = 50;

/** Fill the room. `id` shows one memory. */
export async function memory(place, id) {
  if (id) return one(place, id);
  const overview = await call('overview', {});
  const asked = new URLSearchParams(location.search);
  const kinds = Object.keys(overview.kinds).sort();
  const form = h('form', { class: 'search', role: 'search', onsubmit: (event) => event.preventDefault() },
    h('label', { class: 'grow' }, 'Search memory', h('input', { type: 'search', name: 'q', value: asked.get('q') ?? '' })),
    h('label', {}, 'Type', h('select', { name: 'type' }, h('option', { value: '' }, 'any'),
      kinds.map((kind) => h('option', { value: kind, selected: kind === asked.get('type') }, kind.replace('_', ' '))))),
    h('label', {}, 'Changed', h('select', { name: 'since' }, [['', 'ever'], ['7d', 'this week'], ['30d', 'this month'],
      ['365d', 'this year']].map(([value, text]) => h('option', { value }, text)))),
    h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'archived' }), 'with archived'));
  const status = h('p', { class: 'count', role: 'status' }); // one for all searches: a new one would not be read out
  const shown = h('div', {});
  place.append(h('h1', {}, 'Memory'),
    h('p', { class: 'lead' }, `${count(overview.memories, 'memory', 'memories')} that answer questions about this code.`),
    form, h('div', { class: 'columns' }, h('div', { class: 'results' }, status, shown), beside(overview, form)));
  let searches = false;
  let changed = false;
  const search = async () => { // at once; what is typed meanwhile is searched for when the answer is there
    changed = true;
    if (searches) return;
    searches = true;
    while (changed) {
      changed = false;
      const found = h('div', {});
      let told = '';
      await guarded(found, async () => {
        const { text, parts } = await results(form.elements, status);
        told = text;
        found.append(...parts);
      });
      if (changed) continue;
      shown.replaceChildren(found);
      status.textContent = told;
    }
    searches = false;
  };
  form.addEventListener('input', search);
  await search();
}

/** The text of the status and the elements below it; `status` has the text again when more memories are shown. */
async function results(fields, status) {
  const query = fields.q.value.trim();
  const type = fields.type.value;
  const since = fields.since.value || null;
  fields.archived.disabled = query !== ''; // recall finds memories in force only
  if (query) {
    const answer = await call('recall', { query, kind: 'memory', limit: PAGE, type: type ? [type] : [], since });
    const text = answer.hits.length ? `${count(answer.hits.length, 'memory', 'memories')}, best first` : 'Nothing answers this search.';
    const notes = answer.notes.map((note) => h('p', { class: 'hint' }, note));
    return { text, parts: [...notes, h('div', { class: 'list' }, answer.hits.map((hit) => card(hit, { reasons: hit.why })))] };
  }
  const list = h('div', { class: 'list' });
  const more = h('p', {});
  let offset = 0;
  let text = '';
  const next = async () => {
    const params = { limit: PAGE, offset, type: type || null, since, archived: fields.archived.checked };
    const answer = await call('memories', params);
    list.append(...answer.memories.map((each) => card(each, { citations: answer.citations[each.id] })));
    offset += answer.memories.length;
    text = answer.total
      ? `${offset.toLocaleString('en')} of ${count(answer.total, 'memory', 'memories')}, newest first`
      : type || since || params.archived ? 'No memory fits these filters.' : 'There is no memory yet. `muninn remember` stores the first one.';
    more.replaceChildren(...(offset < answer.total ? [moreButton('Show more', list, async () => {
      await next();
      status.textContent = text;
    })] : []));
  };
  await next();
  return { text, parts: [list, more] };
}

function beside(overview, form) {
  const choose = (kind) => {
    form.elements.type.value = kind;
    form.dispatchEvent(new Event('input'));
  };
  const weeks = overview.weeks;
  return h('aside', { 'aria-label': 'Summary' },
    h('h2', {}, 'Last twelve weeks'), bars(weeks, `Memories made per week, oldest first: ${weeks.join(', ')}`),
    summed('Types', Object.entries(overview.kinds).sort((a, b) => b[1] - a[1]).map(([kind, number]) =>
      [h('button', { type: 'button', class: 'plain', onclick: () => choose(kind) }, kind.replace('_', ' ')), number])),
    summed('Files', overview.files.slice(0, 8).map((file) =>
      [h('a', { href: `#code/${encodeURIComponent(file.path)}` }, h('code', {}, file.path)), file.memories])));
}

/** A heading and its lines, each with a number; nothing without lines. */
function summed(title, lines) {
  return lines.length ? [h('h2', {}, title), h('ul', { class: 'plain-list' }, lines.map(([what, number]) => h('li', {}, what, ` ${number.toLocaleString('en')}`)))] : [];
}

async function one(place, id) {
  const shown = await call('show', { id });
  place.append(h('h1', {}, 'Memory'), h('p', {}, h('a', { href: '#memory' }, 'All memories')),
    h('div', { class: 'list' }, card(shown.memory, { citations: shown.citations, open: true })));
}
