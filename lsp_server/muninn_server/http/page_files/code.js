// The room Code: the files with the most memories; one file with its memories and its neighbours as a drawing.

import { call } from './api.js';
import { count, h, s, table } from './dom.js';
import { card } from './card.js';

const WIDTH = 760;
const MOST = 12;

/** Fill the room. `path` shows one file. */
export async function code(place, path) {
  if (path) return file(place, path);
  const [overview, map] = await Promise.all([call('overview', {}), call('map', {})]);
  place.append(h('h1', {}, 'Code'), h('p', { class: 'lead' }, `${count(map.files, 'file')} with ${count(map.definitions, 'definition')}.`),
    h('h2', {}, 'Files with the most memories'),
    overview.files.length ? table('Files with the most memories', ['File', 'Memories'], overview.files.map((each) => [link(each.path), each.memories])) : h('p', { class: 'hint' }, 'No memory names a file yet.'),
    h('h2', {}, 'Folders'), table('Folders', ['Folder', 'Files', 'Definitions', 'Memories', 'Imports'],
      map.folders.map((each) => [h('code', {}, each.path), each.files, each.definitions, each.memories, each.imports.slice(0, 3).map((one) => one.path).join(', ')])));
}

async function file(place, path) {
  const about = await call('memories', { file: path, limit: 200 });
  let edges = [];
  let note = '';
  try {
    edges = (await call('graph', { start: path, depth: 1, limit: 100 })).edges;
  } catch (error) {
    note = error.message; // a file that is gone, or in a language without imports, has no graph
  }
  place.append(h('h1', {}, path), h('p', {}, h('a', { href: '#code' }, 'All files')));
  const files = [...new Set(edges.map((edge) => (edge.path === path ? edge.at_path : edge.path)).filter((other) => other && other !== path))];
  const memories = about.memories;
  if (files.length || memories.length) place.append(h('figure', {}, drawing(path, memories.slice(0, MOST), files.slice(0, MOST))));
  if (note) place.append(h('p', { class: 'hint' }, note));
  if (files.length) place.append(h('h2', {}, 'Neighbours'), h('ul', { class: 'plain-list' }, files.map((each) => h('li', {}, link(each)))));
  place.append(h('h2', {}, `Memories (${about.total})`), memories.length ? h('div', { class: 'list' }, memories.map((memory) => card(memory, { citations: about.citations[memory.id] }))) : h('p', { class: 'hint' }, 'No memory is about this file.'));
}

function link(path) {
  return h('a', { href: `#code/${encodeURIComponent(path)}` }, h('code', {}, path));
}

function short(text, most) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Memories to the left, the file in the middle, the files around it to the right. */
function drawing(path, memories, files) {
  const rows = Math.max(memories.length, files.length, 1);
  const height = rows * 26 + 24;
  const middle = height / 2;
  const y = (at, number) => middle + (at - (number - 1) / 2) * 26;
  const edge = (x, from, to) => s('path', { class: 'edge', d: `M${x} ${from} C${(x + 380) / 2} ${from} ${(x + 380) / 2} ${to} 380 ${to}` });
  const label = `${path}, ${count(memories.length, 'memory', 'memories')} and ${count(files.length, 'neighbour')}; both are listed below.`;
  return s('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': label },
    memories.map((_, at) => edge(282, y(at, memories.length), middle)), files.map((_, at) => edge(478, y(at, files.length), middle)),
    memories.map((memory, at) => [s('circle', { class: 'node', cx: 282, cy: y(at, memories.length), r: 4 }), s('text', { x: 270, y: y(at, memories.length) + 4, 'text-anchor': 'end' }, short(memory.title || memory.text, 38))]),
    files.map((each, at) => [s('circle', { class: 'file', cx: 478, cy: y(at, files.length), r: 4 }), s('text', { x: 490, y: y(at, files.length) + 4 }, short(each, 36))]),
    s('circle', { class: 'node', cx: 380, cy: middle, r: 7 }), s('text', { class: 'strong', x: 380, y: middle - 13, 'text-anchor': 'middle' }, short(path.split('/').at(-1), 24)));
}
