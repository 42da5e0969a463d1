// A drawing of two columns of nodes and the edges between them, as SVG. Every node is a link with a text.

import { s } from './dom.js';

const WIDTH = 800;
const LEFT = 330; // where the circles of the left column are
const RIGHT = 520;
const ROW = 26;

/**
 * Draw nodes ({ id, text, href, kind }) and edges ([left id, right id, dashed]). With `middle`, a text, all edges lead to a
 * node between the columns, whose id is ''. `label` describes the drawing for those who can't see it.
 */
export function drawing(label, left, right, edges, middle = '') {
  const height = Math.max(left.length, right.length, middle ? 2 : 1) * ROW + 24;
  const y = (at, number) => height / 2 + (at - (number - 1) / 2) * ROW;
  const places = new Map(middle ? [['', { x: (LEFT + RIGHT) / 2, y: height / 2 }]] : []);
  left.forEach((node, at) => places.set(node.id, { x: LEFT, y: y(at, left.length) }));
  right.forEach((node, at) => places.set(node.id, { x: RIGHT, y: y(at, right.length) }));
  const edge = ([one, other, dashed]) => {
    const [from, to] = [places.get(one), places.get(other)];
    const bend = (from.x + to.x) / 2;
    return s('path', { class: dashed ? 'edge dashed' : 'edge', d: `M${from.x} ${from.y} C${bend} ${from.y} ${bend} ${to.y} ${to.x} ${to.y}` });
  };
  const node = (most, anchor, aside) => (one) => {
    const { x, y: high } = places.get(one.id);
    return s('a', { href: one.href }, s('title', {}, one.text),
      s('circle', { class: one.kind, cx: x, cy: high, r: 4 }), s('text', { x: x + aside, y: high + 4, 'text-anchor': anchor }, short(one.text, most)));
  };
  const center = middle ? [s('circle', { class: 'node', cx: (LEFT + RIGHT) / 2, cy: height / 2, r: 7 }),
    s('text', { class: 'strong', x: (LEFT + RIGHT) / 2, y: height / 2 - 13, 'text-anchor': 'middle' }, short(middle, 24))] : [];
  return s('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'group', 'aria-label': label }, edges.map(edge), left.map(node(44, 'end', -12)), right.map(node(38, 'start', 12)), center);
}

function short(text, most) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
