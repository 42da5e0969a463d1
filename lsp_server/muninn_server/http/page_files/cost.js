// The room Cost: tokens and money of language models, and the tokens of agents by model.

import { call } from './api.js';
import { count, figure, h, listed, plain, table } from './dom.js';

/** Fill the room. */
export async function cost(place) {
  const [usage, events, given] = await Promise.all([call('models.usage', { days: 30 }), call('event.query', { event_type: 'usage', limit: 1000 }), call('event.query', { event_type: 'given', limit: 1000 })]);
  const money = (usd) => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
  const rows = (spent) => Object.entries(spent).map(([name, each]) => [name, each.calls, each.failed, each.tokens_in, each.tokens_out, money(each.usd)]);
  const heads = ['Calls', 'Failed', 'Tokens in', 'Tokens out', 'Cost'];
  const total = usage.total;
  place.append(h('h1', {}, 'Cost'), h('p', { class: 'lead' }, total.calls ? `Muninn's own calls in 30 days: ${count(total.calls, 'call')}, ${money(total.usd)}.` : 'Muninn asked no language model in the last 30 days.'));
  if (total.calls) {
    place.append(h('h2', {}, 'By purpose'), table('Calls by purpose', ['Purpose', ...heads], rows(usage.by_purpose)),
      h('h2', {}, 'By route'), table('Calls by route', ['Route', ...heads], rows(usage.by_route)));
  }
  const models = new Map();
  for (const payload of payloads(events)) {
    const sum = models.get(plain(payload.model)) ?? [0, 0, 0, 0];
    ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'].forEach((name, at) => (sum[at] += figure(payload[name])));
    models.set(plain(payload.model), sum);
  }
  if (models.size) {
    place.append(h('h2', {}, 'Tokens of agents'), h('p', { class: 'hint' }, `Newest responses in the journal: ${events.hits.length.toLocaleString('en')}.`),
      table('Tokens of agents', ['Model', 'In', 'Out', 'Cache read', 'Cache written'], [...models].map(([model, sum]) => [model, ...sum])));
  }
  const verbs = new Map();
  for (const payload of payloads(given)) {
    const sum = verbs.get(plain(payload.verb)) ?? [0, 0, 0];
    verbs.set(plain(payload.verb), [sum[0] + 1, sum[1] + listed(payload.ids).length, sum[2] + figure(payload.tokens)]);
  }
  if (verbs.size) {
    place.append(h('h2', {}, 'Given to agents'), h('p', { class: 'hint' }, `Newest answers in the journal: ${given.hits.length.toLocaleString('en')}.`),
      table('Given to agents', ['Verb', 'Times', 'Memories and files', 'Tokens'], [...verbs].map(([verb, sum]) => [verb, ...sum])));
  }
}

/** The payloads of events; redacted ones have none. */
const payloads = (found) => found.hits.map(({ event }) => event.payload).filter(Boolean);
