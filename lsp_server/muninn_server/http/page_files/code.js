// The room Code: the files with the most memories as a list and a drawing; one file with its memories, what it imports,
// and what changes together with it.

import { call } from './api.js';
import { count, h, table } from './dom.js';
import { card } from './card.js';
import { drawing } from './drawing.js';

const MOST = 12; // nodes on each side of a drawing

/** Fill the room. `path` shows one file. */
export async function code(place, path) {
  if (path) return file(place, path);
  const [overview, map, listed] = await Promise.all([call('overview', {}), call('map', {}), call('memories', { limit: 200 })]);
  const files = overview.files.slice(0, MOST).map((each) => each.path);
  const memories = shared(listed.memories, files);
  place.append(h('h1', {}, 'Code'), h('p', { class: 'lead' }, `${count(map.files, 'file')} with ${count(map.definitions, 'definition')}.`));
  if (memories.length) {
    const edges = memories.flatMap((memory) => memory.files.filter((each) => files.includes(each)).map((each) => [memory.id, each]));
    place.append(h('h2', {}, 'Memories and files'), h('p', { class: 'hint' }, 'Newest memories of the files with the most; filled circles are decisions.'),
      h('figure', {}, drawing(`${count(memories.length, 'memory', 'memories')} and ${count(files.length, 'file')} that they are about; both are links.`,
        memories.map(memoryNode), files.filter((each) => edges.some(([, to]) => to === each)).map(fileNode), edges)));
  }
  place.append(h('h2', {}, 'Files with the most memories'),
    overview.files.length ? table('Files with the most memories', ['File', 'Memories'], overview.files.map((each) => [link(each.path), each.memories])) : h('p', { class: 'hint' }, 'No memory names a file yet.'),
    h('h2', {}, 'Folders'), table('Folders', ['Folder', 'Files', 'Definitions', 'Memories', 'Imports'],
      map.folders.map((each) => [h('code', {}, each.path), each.files, each.definitions, each.memories, each.imports.slice(0, 3).map((one) => one.path).join(', ')])));
}

/** The memories about these files to draw: those about several files first, then decisions, then the newest. */
function shared(memories, files) {
  const weight = (memory) => memory.files.filter((each) => files.includes(each)).length * 2 + (memory.type === 'decision');
  return memories.filter((memory) => weight(memory) > 1).sort((one, other) => weight(other) - weight(one)).slice(0, MOST * 2);
}

const memoryNode = (memory) => ({ id: memory.id, text: memory.title || memory.text, href: `#memory/${encodeURIComponent(memory.id)}`, kind: memory.type === 'decision' ? 'node' : 'file' });
const fileNode = (path) => ({ id: path, text: path, href: `#code/${encodeURIComponent(path)}`, kind: 'other' });

async function file(place, path) {
  const graph = (relation, limit) => call('graph', { start: path, relation, limit });
  const [about, near, changes] = await Promise.all([call('memories', { file: path, limit: 200 }),
    graph('neighbours', 100).catch((error) => ({ edges: [], note: error.message })), // a file that is gone, or in a language without imports
    graph('changes', MOST).catch(() => ({ edges: [] }))]);
  place.append(h('h1', {}, path), h('p', {}, h('a', { href: '#code' }, 'All files')));
  const files = [...new Set(near.edges.map((edge) => (edge.path === path ? edge.at_path : edge.path)).filter((other) => other && other !== path))].slice(0, MOST);
  const memories = about.memories;
  const coupled = changes.edges.map((edge) => edge.path);
  const right = [...new Set([...files, ...coupled])].slice(0, MOST);
  if (right.length || memories.length) {
    const label = `${path}, ${count(memories.length, 'memory', 'memories')}, ${count(files.length, 'neighbour')} and ${count(coupled.length, 'file')} that change with it; all are listed below.`;
    place.append(h('figure', {}, drawing(label, memories.slice(0, MOST).map(memoryNode), right.map(fileNode),
      [...memories.slice(0, MOST).map((memory) => [memory.id, '']), ...right.map((other) => ['', other, !files.includes(other)])], path.split('/').at(-1))));
  }
  if (near.note) place.append(h('p', { class: 'hint' }, near.note));
  if (files.length) place.append(h('h2', {}, 'Neighbours'), h('ul', { class: 'plain-list' }, files.map((each) => h('li', {}, link(each)))));
  if (changes.edges.length) place.append(h('h2', {}, 'Changes together with'), h('ul', { class: 'plain-list' }, changes.edges.map((edge) => h('li', {}, link(edge.path), h('span', { class: 'hint' }, ` ${edge.how}`)))));
  place.append(h('h2', {}, `Memories (${about.total})`), memories.length ? h('div', { class: 'list' }, memories.map((memory) => card(memory, { citations: about.citations[memory.id] }))) : h('p', { class: 'hint' }, 'No memory is about this file.'));
}

function link(path) {
  return h('a', { href: `#code/${encodeURIComponent(path)}` }, h('code', {}, path));
}
