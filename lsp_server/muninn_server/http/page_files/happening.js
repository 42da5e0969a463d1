// An event of the journal in words: a sentence first, what it holds folded.

import { clock, count, figure, fold, h, listed, plain } from './dom.js';

const BRIEF = 300;

/** A list item for an event. `answer` says of what was given what came of it; `where` names the repository. */
export function happening(event, answer, where = '') {
  const { sentence, more } = answer ? outcome(answer) : words(event);
  return h('li', { 'data-type': event.event_type }, clock(event.occurred_at), h('div', {}, where ? h('p', { class: 'hint where' }, where) : null, sentence, more ? fold('More', more) : null));
}

function cut(text) {
  return text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text;
}

/** A memory or a place of a file, with a link to the memory. */
const named = (id, title) => (/^[0-9a-f-]{30,}$|^[0-9a-z]{20,}$/i.test(id)
  ? h('a', { href: `#memory/${encodeURIComponent(id)}` }, title || id) : h('code', {}, id));

const TONES = { refuted: 'bad', confirmed: 'good', used: 'good', unused: '' };

function outcome(answer) {
  const item = (each) => h('li', {}, h('span', { class: `state ${TONES[each.outcome]}` }, each.outcome), ' ', named(each.id, each.title),
    each.how.length ? h('span', { class: 'hint' }, ` ${each.how.join(', ')}`) : '');
  const left = (each) => h('li', {}, h('span', { class: 'state' }, 'withheld'), ' ', named(each.id, each.title), h('span', { class: 'hint' }, ` ${each.why}`));
  const used = answer.items.filter((each) => each.outcome !== 'unused').length;
  const said = `by ${answer.verb}: ${count(answer.items.length, 'item')}, ${used} used${answer.withheld.length ? `; ${answer.withheld.length} withheld` : ''}`;
  return {
    sentence: h('p', {}, h('span', { class: 'kind' }, 'Given'), ` ${said}`),
    more: () => h('ul', { class: 'plain-list' }, answer.items.map(item), answer.withheld.map(left)),
  };
}

/** Muninn's own events of turns and agents: their names for people. */
const OWN = {
  'muninn.turn.begun': 'Turn begun', 'muninn.turn.ended': 'Turn ended', 'muninn.turn.incomplete': 'Turn incomplete',
  'muninn.agent.registered': 'Registered', 'muninn.agent.granted': 'Granted', 'muninn.agent.left': 'Left', 'muninn.lease.claimed': 'Claimed',
  'muninn.lease.released': 'Released', 'muninn.handoff': 'Hand-off', 'muninn.handoff.taken': 'Hand-off taken', 'muninn.barrier.passed': 'Barrier passed',
};

/** The agent, and what its event is about. */
function told(what) {
  const things = listed([what.resources, what.files, what.tasks, what.members].find(Array.isArray));
  return [what.agent ? h('strong', {}, plain(what.agent)) : '', ' ', typeof what.text === 'string' ? cut(what.text) : '',
    things.map((each) => [h('code', {}, plain(each)), ' ']), [what.role, what.task, what.name, what.reason].filter((each) => typeof each === 'string' && each).map((each) => ` ${cut(each)}`)];
}

function words(event) {
  const what = event.payload ?? {};
  const kind = event.event_type;
  const label = (text, tone = 'kind') => h('span', { class: tone }, text);
  const whole = (text) => (text.length > BRIEF ? () => h('pre', { tabindex: 0 }, text) : null);
  if (event.stored === 'redacted') return { sentence: h('p', {}, label(kind), ' redacted'), more: null };
  if (kind === 'prompt' || kind === 'answer') {
    const text = plain(what.text);
    return { sentence: h('p', {}, label(kind === 'prompt' ? 'Prompt' : 'Answer'), ' ', cut(text)), more: whole(text) };
  }
  if (kind === 'tool_call') {
    const files = listed(what.files);
    const done = what.command ? h('code', {}, cut(plain(what.command))) : files.length ? files.map((file) => [h('code', {}, plain(file)), ' ']) : '';
    const state = what.failed ? label(` failed${what.exit_status ? ` (${plain(what.exit_status)})` : ''}`, 'bad') : '';
    const result = plain(what.result);
    const input = what.input ? JSON.stringify(what.input, null, 1) : '';
    const more = result || input ? () => [input && h('pre', { tabindex: 0 }, input), result && h('pre', { tabindex: 0 }, result)] : null;
    return { sentence: h('p', {}, label(plain(what.tool) || 'tool'), ' ', done, state), more };
  }
  if (kind === 'given') {
    const ids = listed(what.ids).map(plain);
    const links = () => h('ul', { class: 'plain-list' }, ids.map((id) => h('li', {}, named(id))));
    return { sentence: h('p', {}, label('Given'), ` by ${plain(what.verb)}: ${count(ids.length, 'item')}${figure(what.tokens) ? `, ${count(what.tokens, 'token')}` : ''}`), more: ids.length ? links : null };
  }
  if (kind === 'usage') {
    return { sentence: h('p', {}, label('Tokens'), ` ${plain(what.model)}: ${figure(what.input_tokens).toLocaleString('en')} in, ${figure(what.output_tokens).toLocaleString('en')} out`), more: null };
  }
  const own = OWN[kind];
  if (own) return { sentence: h('p', {}, label(own), ' ', told(what)), more: null };
  const text = JSON.stringify(what, null, 1);
  const first = typeof what.text === 'string' ? cut(what.text) : typeof what.title === 'string' ? cut(what.title) : '';
  return { sentence: h('p', {}, label(kind), ' ', first), more: text !== '{}' ? () => h('pre', { tabindex: 0 }, text) : null };
}
