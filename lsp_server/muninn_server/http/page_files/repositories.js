// The repositories of the page: this daemon's own one, and those of the user's other daemons as they come and go.

import { at, follow } from './api.js';
import { h } from './dom.js';

const menu = document.querySelector('.repositories');
const list = menu.querySelector('ul');
const names = new Map([...list.querySelectorAll('a')].map((link) => [new URL(link.href).searchParams.get('at') ?? '', link.textContent]));
const own = { key: '', name: list.querySelector('a').textContent, root: list.querySelector('a').title };

let live = [...list.querySelectorAll('a')].slice(1).map((link) => ({ key: new URL(link.href).searchParams.get('at'), name: link.textContent, root: link.title }));
let ownKey = '';

/** The repositories that run: key ("" for the own one), name and root. */
export const repositories = () => [own, ...live];

/** The key of the repository that a message is about, "" for the own one. */
export const keyOf = (data) => (data.repository === ownKey ? '' : data.repository);

/** The name of a repository that runs or ran while the page was open. */
export const nameOf = (key) => names.get(key) ?? key;

function draw() {
  const link = ({ key, name, root }) => h('li', {}, h('a', { href: `?at=${key}`, title: root, 'aria-current': key === at ? 'true' : undefined }, name));
  const shown = repositories();
  if (at && !live.some((each) => each.key === at)) shown.push({ key: at, name: `${nameOf(at)} (its daemon has ended)`, root: '' });
  list.replaceChildren(...shown.map(link));
  menu.classList.toggle('alone', shown.length < 2);
}

/** Keep the list current. `changed` is called when repositories came or went. */
export function watch(changed) {
  draw();
  follow((kind, data) => {
    if (kind === 'state' && !ownKey) ownKey = data.repository; // the own state is the stream's first message
    if (kind !== 'repositories') return;
    const before = live.map((each) => each.key).join();
    live = data.repositories;
    for (const { key, name } of live) names.set(key, name);
    draw();
    if (live.map((each) => each.key).join() !== before) changed();
  });
}

document.addEventListener('click', (event) => menu.contains(event.target) || (menu.open = false));
menu.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  menu.open = false;
  menu.querySelector('summary').focus();
});
