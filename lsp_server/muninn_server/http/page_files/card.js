// A memory: the statement first, then author and age; reasons, evidence, history and actions are folded.

import { call } from './api.js';
import { age, button, count, fold, guarded, h } from './dom.js';

const STATEMENT = 200; // characters of a text that is shown whole, as the statement

/** Whether a title is the beginning of the text, as the daemon makes it. */
const isBeginning = (title, text) => text.startsWith(title.replace(/…$/, ''));

/**
 * Show a memory, or a hit of recall about one. `citations` are its checked citations, `reasons` those of its rank,
 * `open` unfolds its details.
 */
export function card(memory, { citations = memory.cites ?? [], reasons = [], open = false } = {}) {
  const text = memory.text ?? '';
  const own = memory.title && (text.length > STATEMENT || !isBeginning(memory.title, text));
  const title = own ? memory.title : text;
  const cited = (memory.cites ?? []).filter((each) => !memory.files?.includes(each.path)).map((each) => each.path);
  const named = [...new Set([...(memory.files ?? []), ...cited])];
  const about = named.length ? named : memory.path ? [memory.path] : [];
  const article = h('article', { id: `m-${memory.id}`, 'data-type': memory.type },
    h('h2', { id: `t-${memory.id}` }, title),
    own ? h('p', {}, text) : null,
    h('p', { class: 'meta' },
      h('span', { class: 'kind' }, String(memory.type ?? '').replaceAll('_', ' ')),
      h('span', {}, memory.author || memory.agent || memory.actor || ''),
      age(memory.updated || memory.ts),
      states(memory, citations),
      about.slice(0, 3).map((file) => h('code', {}, file)),
      about.length > 3 ? h('span', {}, `and ${about.length - 3} more`) : null));
  if (reasons.length) article.append(fold('Why it is here', () => why(reasons)));
  const details = fold('Details', () => inside(memory.id, article), { open: false });
  details.querySelector('summary').setAttribute('aria-describedby', `t-${memory.id}`); // each is of another memory
  article.append(details);
  if (open) details.open = true;
  return article;
}

function states(memory, citations) {
  const found = [];
  const add = (text, kind) => found.push(h('span', { class: `state ${kind}` }, text));
  const checked = citations.map((each) => each.state).filter(Boolean);
  if (checked.includes('gone')) add('cited code is gone', 'bad');
  else if (checked.includes('drifted')) add('cited code changed', 'warn');
  if (memory.redacted) add('redacted', 'bad');
  else if (memory.superseded_by) add('superseded', 'warn');
  else if (memory.merged_into) add('merged', 'warn');
  else if (memory.archived) add('archived', 'warn');
  if (memory.expired) add('expired', 'warn');
  if (memory.review === 'pending') add('waits for approval', 'warn');
  if (memory.review === 'rejected') add('rejected', 'bad');
  if (memory.trust === 'outside') add('from outside', 'warn');
  if (memory.work) add(memory.work, 'warn');
  if (memory.private) add('private', '');
  if (memory.pinned) add('pinned', 'good');
  return found;
}

function why(reasons) {
  const most = Math.max(...reasons.map((each) => Math.abs(each.contribution)), 1e-9);
  return h('ul', { class: 'plain-list' }, reasons.filter((each) => each.contribution !== 0).map((each) => h('li', {},
    h('meter', { min: 0, max: most, value: Math.abs(each.contribution), 'aria-label': each.signal.replaceAll('_', ' ') }),
    ` ${each.signal.replaceAll('_', ' ')} ${each.contribution.toFixed(3)}${each.note ? `: ${each.note}` : ''}`)));
}

async function inside(id, article) {
  const [shown, past] = await Promise.all([call('show', { id }), call('history', { id })]);
  const memory = shown.memory;
  const parts = [];
  const facts = [['Id', memory.id], ['Importance', `${memory.importance} of 10`], ['Trust', memory.trust], ['Made', memory.ts],
    ['Branch', memory.branch], ['Task', memory.task], ['Session', memory.session], ['Tags', memory.tags.join(', ')],
    ['Shown', shown.access.count ? `${count(shown.access.count, 'time')} on this machine` : ''],
    ['Given to agents', shown.given.shown ? `${count(shown.given.shown, 'time')}, used ${shown.given.used}, refuted ${shown.given.refuted}` : '']];
  parts.push(h('dl', {}, facts.filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
  if (memory.questions.length) {
    parts.push(h('h3', {}, 'Answers'), h('ul', { class: 'plain-list' }, memory.questions.map((each) => h('li', {}, each))));
  }
  if (shown.citations.length) {
    parts.push(h('h3', {}, 'Cited code'), h('ul', { class: 'plain-list' }, shown.citations.map((each) => h('li', {},
      h('code', {}, each.start ? `${each.path}:${each.start}-${each.end}` : each.path), ` ${each.state}`,
      each.was ? `, was ${each.was}` : ''))));
  }
  if (shown.links.length) {
    parts.push(h('h3', {}, 'Links'), h('ul', { class: 'plain-list' }, shown.links.map((link) => {
      const other = link.source === memory.id ? link.target : link.source;
      const verb = link.source === memory.id ? link.relation : `is the target of ${link.relation}`;
      return h('li', {}, `${verb}: `, h('a', { href: `#memory/${encodeURIComponent(other)}` }, shown.linked[other] ?? other));
    })));
  }
  parts.push(h('h3', {}, 'History'), h('ul', { class: 'plain-list' }, past.events.map((event) => h('li', {},
    `${event.summary}, `, h('span', { class: 'hint' }, `${event.author || event.agent || event.actor}, `), age(event.ts),
    event.changes.map((change) => h('p', { class: 'hint' }, `${change.name}: ${change.before || 'nothing'} → ${change.after || 'nothing'}`))))));
  parts.push(actions(memory, article, shown.citations));
  return parts;
}

function actions(memory, article, citations) {
  const again = async () => {
    const next = await call('show', { id: memory.id });
    const fresh = card(next.memory, { citations: next.citations });
    article.replaceWith(fresh);
    fresh.querySelector('summary').focus();
  };
  const place = h('div', {});
  const row = h('div', { class: 'actions' });
  const verb = (label, name, params = {}, kind = '') => row.append(button(label, async () => {
    await call(name, { id: memory.id, ...params });
    await again();
  }, kind));
  const ask = (label, build, kind = '') => {
    const one = button(label, () => {
      const close = () => {
        place.replaceChildren();
        one.focus();
      };
      place.replaceChildren(build(again, close));
      place.querySelector('textarea, input, button').focus();
    }, kind);
    row.append(one);
  };
  const inForce = !(memory.archived || memory.superseded_by || memory.merged_into || memory.redacted);
  if (memory.review === 'pending') {
    row.append(button('Approve', async () => {
      await call('approve', { ids: [memory.id] });
      await again();
    }, 'main'));
  }
  if (inForce) {
    if (citations.length) verb('Confirm', 'confirm');
    ask('Edit', (done, close) => editor(memory, done, close));
    verb(memory.pinned ? 'Unpin' : 'Pin', memory.pinned ? 'unpin' : 'pin');
    ask('Supersede', (done, close) => successor(memory, done, close));
    ask('Forget', (done, close) => reasoned('Reason', 'Forget', (reason) => call('forget', { id: memory.id, reason }), done, close));
  } else if (memory.archived && !memory.redacted) verb('Restore', 'restore');
  if (!memory.redacted) ask('Redact', (done, close) => redaction(memory, done, close), 'danger');
  return [row, place];
}

function small(label, fields, submit, done, close, kind = 'main') {
  const status = h('div', {});
  let sends = false;
  const form = h('form', {
    class: 'edit',
    onsubmit: async (event) => {
      event.preventDefault();
      if (sends) return; // Enter was pressed again before the answer
      sends = true;
      await guarded(status, async () => {
        await submit(form.elements);
        await done();
      });
      sends = false;
    },
    onkeydown: (event) => event.key === 'Escape' && close(),
  }, fields, h('div', { class: 'actions' }, h('button', { class: kind }, label),
    h('button', { type: 'button', onclick: close }, 'Cancel')), status);
  return form;
}

function editor(memory, done, close) {
  const title = isBeginning(memory.title, memory.text) ? '' : memory.title; // the daemon makes one from the text
  const before = memory.questions.join('\n');
  const fields = [h('label', { class: 'grow' }, 'Title, if it is not the beginning of the text', h('input', { name: 'title', value: title })),
    h('label', { class: 'grow' }, 'Text', h('textarea', { name: 'text' }, memory.text)),
    h('label', { class: 'grow' }, 'Questions that it answers in other words, one a line', h('textarea', { name: 'questions' }, before)),
    h('label', {}, 'Importance', h('input', { name: 'importance', type: 'number', min: 1, max: 10, value: memory.importance })),
    h('label', { class: 'grow' }, 'Reason', h('input', { name: 'reason' }))];
  return small('Save', fields, (given) => call('update', {
    id: memory.id, text: given.text.value, title: given.title.value === title ? '' : given.title.value, importance: Number(given.importance.value),
    reason: given.reason.value,
    questions: given.questions.value === before ? [] : given.questions.value.split('\n'), // a blank one alone removes them
  }), done, close);
}

function reasoned(label, verb, submit, done, close, kind = 'main') {
  const field = h('label', { class: 'grow' }, label, h('input', { name: 'reason' }));
  return small(verb, [field], (given) => submit(given.reason.value), done, close, kind);
}

function successor(memory, done, close) {
  const field = h('label', { class: 'grow' }, 'Id of the memory that replaces this one', h('input', { name: 'keep', required: true }));
  return small('Supersede', [field], (given) => {
    const keep = given.keep.value.trim();
    return call('consolidate', { ids: [memory.id, keep], decision: 'supersede', keep });
  }, done, close);
}

function redaction(memory, done, close) {
  const end = memory.id.slice(-6);
  const text = `Redaction erases the text for good, here and in the files of memory. Earlier commits keep it. Type ${end} to confirm.`;
  const field = h('label', { class: 'grow' }, text, h('input', { name: 'confirm', required: true, autocomplete: 'off' }));
  return small('Redact for good', [field], async (given) => {
    if (given.confirm.value.trim() !== end) throw new Error(`This is not ${end}: nothing was redacted`);
    await call('redact', { id: memory.id });
  }, done, close, 'danger');
}
