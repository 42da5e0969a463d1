// An event of the journal in words: a sentence first, what it holds folded.

import { clock, fold, h } from './dom.js';

const BRIEF = 300;

/** A list item for an event. */
export function happening(event) {
  const { sentence, more } = words(event);
  return h('li', { 'data-type': event.event_type }, clock(event.occurred_at), h('div', {}, sentence, more ? fold('More', more) : null));
}

function cut(text) {
  return text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text;
}

function words(event) {
  const what = event.payload ?? {};
  const kind = event.event_type;
  const label = (text, tone = 'kind') => h('span', { class: tone }, text);
  const whole = (text) => (text.length > BRIEF ? () => h('pre', { tabindex: 0 }, text) : null);
  if (event.stored === 'redacted') return { sentence: h('p', {}, label(kind), ' redacted'), more: null };
  if (kind === 'prompt' || kind === 'answer') {
    const text = String(what.text ?? '');
    return { sentence: h('p', {}, label(kind === 'prompt' ? 'Prompt' : 'Answer'), ' ', cut(text)), more: whole(text) };
  }
  if (kind === 'tool_call') {
    const files = what.files ?? [];
    const done = what.command ? h('code', {}, cut(String(what.command))) : files.length ? files.map((file) => [h('code', {}, String(file)), ' ']) : '';
    const state = what.failed ? label(` failed${what.exit_status ? ` (${what.exit_status})` : ''}`, 'bad') : '';
    const result = String(what.result ?? '');
    const input = what.input ? JSON.stringify(what.input, null, 1) : '';
    const more = result || input ? () => [input && h('pre', { tabindex: 0 }, input), result && h('pre', { tabindex: 0 }, result)] : null;
    return { sentence: h('p', {}, label(String(what.tool ?? 'tool')), ' ', done, state), more };
  }
  if (kind === 'given') {
    const ids = what.ids ?? [];
    const links = () => h('ul', { class: 'plain-list' }, ids.map((id) => h('li', {}, /^[0-9a-f-]{30,}$|^[0-9a-z]{20,}$/i.test(id)
      ? h('a', { href: `#memory/${encodeURIComponent(id)}` }, id) : h('code', {}, String(id)))));
    return { sentence: h('p', {}, label('Given'), ` by ${what.verb}: ${ids.length} memories and files`), more: ids.length ? links : null };
  }
  if (kind === 'usage') {
    return { sentence: h('p', {}, label('Tokens'), ` ${what.model ?? ''}: ${(what.input_tokens ?? 0).toLocaleString('en')} in, ${(what.output_tokens ?? 0).toLocaleString('en')} out`), more: null };
  }
  const text = JSON.stringify(what, null, 1);
  const first = typeof what.text === 'string' ? cut(what.text) : typeof what.title === 'string' ? cut(what.title) : '';
  return { sentence: h('p', {}, label(kind), ' ', first), more: text !== '{}' ? () => h('pre', { tabindex: 0 }, text) : null };
}
