// A drawing of two columns of nodes and the edges between them, as SVG. Every node is a link with a text. There are two
// forms of it, of which the style sheet shows the one that fits the window.

import { s } from './dom.js';
import { fitting } from './fitting.js';

/** `left` and `right` are where the circles of the columns are. */
const FORMS = [
  { form: 'wide', width: 800, left: 330, right: 520 },
  { form: 'narrow', width: 400, left: 150, right: 250 },
];
const ROW = 26;
const ASIDE = 12; // from a circle to its text

/**
 * Draw nodes ({ id, text, href, kind }) and edges ([left id, right id, dashed]); those of the right column are files. With
 * `middle`, a text, all edges lead to a node between the columns, whose id is ''. `label` describes the drawing for those
 * who can't see it. Returns both forms.
 */
export function drawing(label, left, right, edges, middle = '') {
  return FORMS.map((form) => drawn(form, label, left, right, edges, middle));
}

function drawn({ form, width, left: leftX, right: rightX }, label, left, right, edges, middle) {
  const height = Math.max(left.length, right.length, middle ? 2 : 1) * ROW + 24;
  const center = { x: (leftX + rightX) / 2, y: height / 2 };
  const y = (at, number) => height / 2 + (at - (number - 1) / 2) * ROW;
  const places = new Map(middle ? [['', center]] : []);
  left.forEach((node, at) => places.set(node.id, { x: leftX, y: y(at, left.length) }));
  right.forEach((node, at) => places.set(node.id, { x: rightX, y: y(at, right.length) }));
  const edge = ([one, other, dashed]) => {
    const [from, to] = [places.get(one), places.get(other)];
    const bend = (from.x + to.x) / 2;
    return s('path', { class: dashed ? 'edge dashed' : 'edge', d: `M${from.x} ${from.y} C${bend} ${from.y} ${bend} ${to.y} ${to.x} ${to.y}` });
  };
  const node = (text, anchor, aside) => (one) => {
    const { x, y: high } = places.get(one.id);
    return s('a', { href: one.href }, s('title', {}, one.text),
      s('circle', { class: one.kind, cx: x, cy: high, r: 4 }), s('text', { x: x + aside, y: high + 4, 'text-anchor': anchor }, text(one.text)));
  };
  const named = middle ? [s('circle', { class: 'node', cx: center.x, cy: center.y, r: 7 }),
    s('text', { class: 'strong', x: center.x, y: center.y - 13, 'text-anchor': 'middle' }, tail(middle, rightX - leftX))] : [];
  return s('svg', { class: form, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': label }, edges.map(edge),
    left.map(node((text) => head(text, leftX - ASIDE), 'end', -ASIDE)),
    right.map(node((text) => tail(text, width - rightX - ASIDE), 'start', ASIDE)), named);
}

/** The beginning of a text that fits into a width. */
function head(text, width) {
  const line = text.replace(/\s+/g, ' ');
  return fitting(line, width, (most) => `${line.slice(0, most)}…`);
}

/** The end of a path, which has the file's name. */
function tail(path, width) {
  return fitting(path, width, (most) => `…${path.slice(path.length - most)}`);
}
