// The room Waiting: what only a person can decide. Keys: j and k move, and each button's letter presses it.

import { call } from './api.js';
import { age, button, count, fold, h } from './dom.js';
import { card } from './card.js';

const PART = 100; // items of a section that are shown at once

/** Fill the room. */
export async function waiting(place) {
  const [conflicts, pending, candidates, checked] = await Promise.all([
    call('conflicts', {}), call('memories', { pending: true, limit: 1000 }),
    call('candidate.list', { events: true, limit: 1000 }), call('verify', {}),
  ]);
  const stale = checked.found.filter((each) => each.cites.some((cite) => ['drifted', 'gone'].includes(cite.state)));
  const sections = [
    ['Contradictions', 'Two memories say different things. Keep one, or both.', conflicts.conflicts, conflict],
    ['Approvals', 'These memories are not used before a person approves them.', pending.memories, approval],
    ['Candidates', 'Sessions showed this. Store what is worth remembering.', candidates.candidates, (each) => candidate(each, candidates.events)],
    ['Stale', 'The cited code has changed or is gone. Confirm what still holds.', stale, doubtful],
  ];
  const lead = h('p', { class: 'lead', role: 'status', tabindex: -1 });
  const left = new Map(sections.map(([title, , found]) => [title, found.length]));
  const told = () => {
    const total = [...left.values()].reduce((sum, each) => sum + each, 0);
    lead.textContent = total ? `${count(total, 'decision')} for you. Keys: j and k move; the underlined first letter of a button presses it.` : 'Nothing waits for a decision.';
  };
  told();
  place.append(h('h1', {}, 'Waiting'), lead);
  for (const [title, about, found, build] of sections.filter(([, , found]) => found.length)) {
    const head = h('h2', {}, `${title} (${found.length})`);
    const section = h('section', { 'aria-label': title }, head, h('p', { class: 'hint' }, about), parts(found, build));
    section.addEventListener('decided', () => {
      left.set(title, left.get(title) - 1);
      head.textContent = `${title} (${left.get(title)})`;
      told();
      if (!left.get(title)) section.remove();
    });
    place.append(section);
  }
  place.addEventListener('decided', (event) => (nextItem(place, event.detail) ?? lead).focus());
  const press = (event) => keys(event, place);
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}

/** The first items of a list, and a button for the next ones. */
function parts(found, build) {
  const next = found.slice(0, PART).map(build);
  const rest = found.slice(PART);
  if (!rest.length) return next;
  const more = button(`Show ${Math.min(PART, rest.length)} more`, async () => {
    const [first, ...others] = parts(rest, build);
    more.replaceWith(first, ...others);
    first.focus();
  });
  return [...next, more];
}

/** The item that took the place of a decided one, or the last item; undefined without one. */
const nextItem = (place, at) => [...place.querySelectorAll('.item')].slice(0, at + 1).at(-1);

function keys(event, place) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea, select')) return;
  const items = [...place.querySelectorAll('.item')];
  const at = items.findIndex((item) => item.contains(document.activeElement));
  if (event.key === 'j' || event.key === 'k') {
    const next = items[Math.max(0, Math.min(items.length - 1, at + (event.key === 'j' ? 1 : -1)))];
    next?.focus();
    event.preventDefault();
  } else if (at >= 0 && event.key.length === 1) {
    const one = [...items[at].querySelectorAll('.decide button')].find((each) => each.dataset.key === event.key.toLowerCase());
    if (!one) return;
    event.preventDefault();
    one.click();
  }
}

function item(label, content, choices) {
  const row = h('div', { class: 'actions decide' });
  const whole = h('div', { class: 'item', tabindex: -1, role: 'group', 'aria-label': label }, content, row);
  for (const [name, work, kind] of choices) {
    const one = button([h('u', {}, name[0]), name.slice(1)], async () => {
      await work(row);
      const section = whole.parentElement;
      const at = [...document.querySelectorAll('.item')].indexOf(whole);
      whole.remove();
      section.dispatchEvent(new CustomEvent('decided', { bubbles: true, detail: at }));
    }, kind);
    one.dataset.key = name[0].toLowerCase();
    one.setAttribute('aria-keyshortcuts', one.dataset.key);
    row.append(one);
  }
  return whole;
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;

function conflict(each) {
  const side = (name, memory) => h('div', { class: 'side' }, h('h3', {}, name), card(memory));
  const keep = (which) => () => call('resolve', { id: each.id, keep: which });
  const content = [h('p', {}, sentence(each.reason || 'They contradict each other')),
    h('div', { class: 'versus' }, side('Left', each.left), side('Right', each.right)),
    each.code.length ? fold('The cited code', () => each.code.map((code) => h('div', {},
      h('p', { class: 'hint' }, `${code.side}: `, h('code', {}, `${code.path}:${code.start}-${code.end}`)),
      code.text ? h('pre', { tabindex: 0 }, code.text) : h('p', {}, code.problem)))) : null];
  return item('A contradiction', content, [['Left holds', keep('left'), 'main'], ['Right holds', keep('right'), 'main'], ['Both hold', keep('both')]]);
}

function approval(memory) {
  const reject = async (row) => {
    const reason = row.querySelector('input')?.value.trim();
    if (reason) return call('reject', { ids: [memory.id], reason });
    if (!row.querySelector('input')) {
      const again = (event) => event.key === 'Enter' && row.querySelector('[data-key=r]').click();
      row.prepend(h('label', { class: 'grow' }, 'Reason for the rejection', h('input', { name: 'reason', onkeydown: again })));
    }
    row.querySelector('input').focus();
    throw new Error('Give a reason, then reject again');
  };
  return item(memory.title || memory.text, card(memory), [['Approve', () => call('approve', { ids: [memory.id] }), 'main'], ['Reject', reject]]);
}

function candidate(each, events) {
  const mine = events.filter((event) => each.evidence.includes(event.event_id));
  const text = h('textarea', {}, each.text);
  const content = [h('p', {}, h('strong', {}, each.title || each.text)),
    h('p', { class: 'meta' }, h('span', { class: 'kind' }, each.type.replaceAll('_', ' ')), h('span', {}, each.agent), age(each.found_at), each.files.slice(0, 3).map((file) => h('code', {}, file))),
    fold('Text', () => h('label', {}, 'Text to store', text)),
    mine.length ? fold(`Evidence (${mine.length})`, () => mine.map((event) => h('div', {}, h('p', { class: 'hint' }, `${event.event_type} `, age(event.occurred_at)),
      h('pre', { tabindex: 0 }, event.payload?.text ?? JSON.stringify(event.payload, null, 1))))) : null];
  return item(each.title || each.text, content, [
    ['Store', () => call('candidate.promote', text.value === each.text ? { id: each.id } : { id: each.id, text: text.value }), 'main'],
    ['Discard', () => call('candidate.discard', { id: each.id })],
  ]);
}

function doubtful(each) {
  const content = [h('p', {}, h('a', { href: `#memory/${encodeURIComponent(each.id)}` }, each.title)),
    h('ul', { class: 'plain-list' }, each.cites.map((cite) => h('li', {}, h('code', {}, cite.start ? `${cite.path}:${cite.start}-${cite.end}` : cite.path), ` ${cite.state}`)))];
  return item(each.title, content, [['Confirm', () => call('confirm', { id: each.id }), 'main'], ['Forget', () => call('forget', { id: each.id, reason: 'the cited code has changed' })]]);
}
