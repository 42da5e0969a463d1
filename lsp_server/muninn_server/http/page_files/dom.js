// Elements are made here, and texts are only ever text: no memory becomes markup.

const SVG = 'http://www.w3.org/2000/svg';

/** Make an element. `given` are attributes, and listeners as functions named on…; children are nodes or texts. */
export function h(name, given = {}, ...children) {
  return build(document.createElement(name), given, children);
}

/** Make an element of a drawing. */
export function s(name, given = {}, ...children) {
  return build(document.createElementNS(SVG, name), given, children);
}

function build(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ''));
  return element;
}

const STEPS = [[60, 'second'], [60, 'minute'], [24, 'hour'], [30.4, 'day'], [12, 'month'], [Infinity, 'year']];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A time as its age, with the whole time as a title. */
export function age(at) {
  const then = Date.parse(at);
  if (Number.isNaN(then)) return h('span', {}, at ?? '');
  let amount = (then - Date.now()) / 1000;
  let unit = 'second';
  for (const [size, name] of STEPS) {
    unit = name;
    if (Math.abs(amount) < size) break;
    if (size !== Infinity) amount /= size;
  }
  return h('time', { datetime: at, title: at }, relative.format(Math.round(amount), unit));
}

/** The time of day, after the day unless that is today. */
export function clock(at) {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return h('span', {}, at ?? '');
  const today = moment.toDateString() === new Date().toDateString();
  const day = today ? '' : moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
  return h('time', { datetime: at, title: at }, day, day && h('br'), moment.toLocaleTimeString('en-GB'));
}

/** The text of a part of an address; one that is no encoding stays as it is. */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A value of any type as text. */
export const plain = (value) => (typeof value === 'string' ? value : JSON.stringify(value ?? undefined) ?? '');

/** A value if it is a list, else an empty one: programs record events with payloads of any form. */
export const listed = (value) => (Array.isArray(value) ? value : []);

/** A value if it is a number, else 0. */
export const figure = (value) => (typeof value === 'number' ? value : 0);

/** A number with separators, and its noun. */
export function count(number, one, many = `${one}s`) {
  return `${Number(number).toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** A section of text that opens; `fill` makes its content when it opens first, and may be asynchronous. */
export function fold(label, fill, given = {}) {
  const inside = h('div', { class: 'inside' });
  const details = h('details', given, h('summary', {}, label), inside);
  let filled = false;
  details.addEventListener('toggle', async () => {
    if (!details.open || filled) return;
    filled = true;
    await guarded(inside, async () => inside.replaceChildren(...[await fill()].flat(Infinity)));
  });
  return details;
}

/** A button that appends more to `list`, and moves the focus to what it appended first. */
export function moreButton(label, list, work) {
  return button(label, async () => {
    const before = list.children.length;
    await work();
    list.children[before]?.querySelector('a, summary').focus();
  });
}

/** Run what may fail, and show its error at the end of `place`. Returns whether it did not fail. */
export async function guarded(place, work) {
  place.querySelector(':scope > [role=alert]')?.remove();
  try {
    await work();
    return true;
  } catch (error) {
    place.append(problem(error));
    return false;
  }
}

/** An error, and what to do about it. */
export function problem(error) {
  return h('p', { role: 'alert' }, [error.message, error.hint].filter(Boolean).join('. ').replace(/([.!?])\./g, '$1'));
}

/** A button that is disabled while its work runs, and keeps the focus; an error appears beside it. */
export function button(label, work, kind = '') {
  const one = h('button', { type: 'button', class: kind || undefined }, label);
  one.addEventListener('click', async () => {
    const focused = document.activeElement === one;
    one.disabled = true;
    await guarded(one.parentElement, work);
    one.disabled = false;
    if (focused && one.isConnected && [document.body, null].includes(document.activeElement)) one.focus();
  });
  return one;
}

/** Bars with a label for readers who can't see them. */
export function bars(values, label) {
  const most = Math.max(1, ...values);
  const wide = 240 / Math.max(1, values.length);
  const drawn = values.map((value, at) => {
    const high = Math.max(1, (56 * value) / most);
    return s('rect', { class: 'bar', x: at * wide, y: 58 - high, width: Math.max(1, wide - 3), height: high });
  });
  return s('svg', { viewBox: '0 0 240 60', role: 'img', 'aria-label': label }, drawn);
}

/** A table; cells of numbers are set to the right. */
export function table(caption, heads, rows) {
  const cell = (value) => h('td', { class: typeof value === 'number' ? 'number' : undefined },
    typeof value === 'number' ? value.toLocaleString('en') : value);
  const numeric = heads.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption }, h('table', {},
    h('thead', {}, h('tr', {}, heads.map((head, at) =>
      h('th', { scope: 'col', class: numeric[at] ? 'number' : undefined }, head)))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map(cell))))));
}
