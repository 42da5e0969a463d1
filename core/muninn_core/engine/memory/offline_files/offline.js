'use strict';
// Searches the articles of this page by an index of their words. The index is made in slices after the page is shown, so
// that nothing waits for it; nothing is sent anywhere.
(() => {
  const MOST = 200; // articles at once; a button shows the rest
  const SLICE = 400; // articles that are indexed at a time
  const articles = [...document.querySelectorAll('article')];
  const form = document.querySelector('form');
  const list = document.querySelector('.list');
  const count = document.querySelector('.count');
  const more = document.querySelector('button');
  const index = new Map();
  const types = [];
  const months = [];
  let known = null;

  const words = (text) => text.normalize('NFKD').toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

  function indexSlice(most) {
    const end = Math.min(articles.length, types.length + most);
    for (let at = types.length; at < end; at++) {
      const article = articles[at];
      types.push(article.querySelector('em').textContent);
      months.push(article.querySelector('time').textContent.slice(0, 7));
      for (const word of new Set(words(article.textContent))) {
        const places = index.get(word);
        if (places) places.push(at);
        else index.set(word, [at]);
      }
    }
    if (end < articles.length) return;
    known ??= [...index.keys()];
  }

  /** The articles with words that begin with `start`, and how rare the best of these words is in each. */
  function found(start) {
    const hits = new Map();
    for (const word of known) {
      if (!word.startsWith(start)) continue;
      const places = index.get(word);
      const weight = (word === start ? 2 : 1) * Math.log(1 + articles.length / places.length);
      for (const at of places) if (!(hits.get(at) >= weight)) hits.set(at, weight);
    }
    return hits;
  }

  function search(most = MOST) {
    if (!known) indexSlice(articles.length);
    const asked = [...new Set(words(form.elements.q.value))].map(found);
    const type = form.elements.type.value.replaceAll('_', ' ');
    let fitting = asked.length ? [...asked[0].keys()].filter((at) => asked.every((hits) => hits.has(at))) : articles.map((_, at) => at);
    if (type) fitting = fitting.filter((at) => types[at] === type);
    const score = new Map(fitting.map((at) => [at, asked.reduce((sum, hits) => sum + hits.get(at), 0)]));
    if (asked.length) fitting.sort((one, other) => score.get(other) - score.get(one) || one - other);
    const shown = fitting.slice(0, most);
    list.replaceChildren(...shown.map((at) => articles[at]));
    const all = articles.length.toLocaleString('en');
    count.textContent = `${fitting.length.toLocaleString('en')} of ${all} memories${asked.length ? ', best first' : ', newest first'}`;
    more.hidden = shown.length === fitting.length;
    draw(fitting);
  }

  /** Draw how many of these memories each of the last two years' months has. */
  function draw(fitting) {
    const sums = new Map();
    for (const at of fitting) if (months[at]) sums.set(months[at], (sums.get(months[at]) ?? 0) + 1);
    const all = [...sums].sort().slice(-24);
    const most = Math.max(1, ...all.map(([, number]) => number));
    const make = (name, attributes, text = '') => {
      const one = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
      one.textContent = text;
      return one;
    };
    const label = `Memories by month: ${all.map(([month, number]) => `${month} ${number}`).join(', ')}`;
    const svg = make('svg', { viewBox: '0 0 480 76', role: 'img', 'aria-label': label });
    all.forEach(([, number], at) => {
      const height = Math.max(2, (48 * number) / most);
      svg.append(make('rect', { class: 'bar', x: at * 20, y: 52 - height, width: 16, height }));
    });
    if (all.length) svg.append(make('text', { x: 0, y: 70 }, all[0][0]));
    if (all.length > 4) svg.append(make('text', { x: all.length * 20 - 4, y: 70, 'text-anchor': 'end' }, all.at(-1)[0]));
    document.getElementById('timeline').replaceChildren(...(all.length ? [svg] : []));
  }

  function slices() {
    indexSlice(SLICE);
    if (known) search();
    else setTimeout(slices);
  }

  list.replaceChildren(...articles.slice(0, MOST));
  form.hidden = false;
  form.addEventListener('input', () => search());
  form.addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', () => search(Infinity));
  setTimeout(slices);
})();
