// The room Health: what works, what lags, and what to do about it.

import { call } from './api.js';
import { count, guarded, h, table } from './dom.js';

const MB = 1024 * 1024;

/** Fill the room. */
export async function health(place) {
  const checks = call('check', {}); // it reads all files of memory, and takes longer than the others
  checks.catch(() => {}); // `files` shows the failure
  const [status, ready, projections, metrics] = await Promise.all([
    call('status', {}), call('ready', {}), call('projections.status', {}), call('metrics', {})]);
  const sum = (name, labels = '(?:\\{.*\\})?') => [...metrics.text.matchAll(new RegExp(`^${name}${labels} ([0-9.e+]+)$`, 'gm'))].reduce((all, [, value]) => all + Number(value), 0);
  const turns = (state) => sum('muninn_turns', `\\{status="${state}"\\}`);
  const size = (part) => `${part} ${(sum('muninn_storage_bytes', `\\{part="${part}"\\}`) / MB).toFixed(1)} MB`;
  const verdict = h('p', { role: 'status' });
  const judge = (found) => {
    const fine = ready.ok && !status.problems.length && found?.ok !== false;
    verdict.className = fine ? 'good' : 'warn';
    verdict.textContent = !fine ? 'Something needs your attention.' : found ? 'Everything works.' : 'The files of memory are being checked…';
  };
  judge();
  const files = h('div', {});
  place.append(h('h1', {}, 'Health'), verdict,
    h('h2', {}, 'Checks'), h('ul', { class: 'plain-list' }, ready.checks.map((each) => h('li', {}, h('span', { class: each.ok ? 'good' : 'bad' }, each.ok ? 'good ' : 'bad '), h('strong', {}, each.name), ` ${each.message}`, each.hint ? h('p', { class: 'hint' }, each.hint) : null))));
  if (status.problems.length) {
    place.append(h('h2', {}, 'Problems'), h('ul', { class: 'plain-list' }, status.problems.map((each) => h('li', {}, h('span', { class: 'warn' }, each.message), each.path ? [' ', h('code', {}, each.line ? `${each.path}:${each.line}` : each.path)] : null, each.hint ? h('p', { class: 'hint' }, each.hint) : null))));
  }
  place.append(files);
  guarded(files, async () => {
    const found = await checks.catch((error) => {
      judge({ ok: false });
      throw error;
    });
    judge(found);
    if (found.findings.length) files.append(h('h2', {}, 'Files of memory'), h('ul', { class: 'plain-list' }, found.findings.slice(0, 100).map(finding)));
  });
  const { index, log, journal } = status;
  const facts = [
    ['Index', `${index.state}, ${count(index.files, 'file')}, ${count(index.chunks, 'chunk')}, ${index.lag ? `${count(index.lag, 'file')} behind` : 'current'}`],
    ['Memory', `${count(log.memories, 'memory', 'memories')} in ${count(log.records, 'record')}, ${log.unsealed} not sealed, ${log.malformed} malformed`],
    ['Journal', `${count(journal.events, 'event')}${journal.failure ? `, ${journal.failure}` : ''}`],
    ['Daemon', `version ${status.version}, up ${duration(status.uptime_seconds)}, ${Math.round(status.rss_bytes / MB)} MB, ${count(status.clients, 'client')}`],
    ['Hooks', `${count(sum('muninn_hook_runs'), 'run')} in their log, ${sum('muninn_hook_failures')} failed`],
    ['Capture', `${count(turns('closed'), 'turn')} recorded, ${turns('open')} open, ${turns('incomplete')} incomplete; ${count(sum('muninn_hook_messages'), 'message')} of hooks waiting`],
    ['Storage', ['memory', 'index', 'journal'].map(size).join(', ')],
    ['Longest stall', `${Math.round(status.longest_stall_ms)} ms`],
  ];
  place.append(h('h2', {}, 'State'), h('dl', {}, facts.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    h('h2', {}, 'Projections'), table('Projections', Object.keys(projections.projections[0] ?? {}).map((name) => name.replaceAll('_', ' ')), projections.projections.map((each) => Object.values(each).map((value) => (typeof value === 'number' ? value : String(value))))),
    h('p', { class: 'hint' }, '`muninn doctor` also checks the installation and the hooks of agents.'));
}

function finding(each) {
  return h('li', {}, h('span', { class: each.level === 'error' ? 'bad' : 'warn' }, `${each.level} `), each.message,
    each.path ? [' ', h('code', {}, each.line ? `${each.path}:${each.line}` : each.path)] : null, each.hint ? h('p', { class: 'hint' }, each.hint) : null);
}

function duration(seconds) {
  if (seconds < 90) return count(Math.round(seconds), 'second');
  if (seconds < 5400) return count(Math.round(seconds / 60), 'minute');
  return count(Math.round(seconds / 3600), 'hour');
}
