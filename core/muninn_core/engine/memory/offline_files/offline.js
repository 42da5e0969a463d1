'use strict';
// Searches the articles of this page: an index of their words, made when the page opens. Nothing is sent anywhere.
(() => {
  const articles = [...document.querySelectorAll('article')];
  const form = document.querySelector('form');
  const count = document.querySelector('.count');
  const words = (text) => text.normalize('NFKD').toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const index = new Map();
  articles.forEach((article, at) => {
    for (const word of new Set(words(article.textContent))) {
      const places = index.get(word);
      if (places) places.push(at);
      else index.set(word, [at]);
    }
  });
  const known = [...index.keys()];

  /** The articles with words that begin with `start`, each with the number of such words. */
  function found(start) {
    const hits = new Map();
    for (const word of known) {
      if (!word.startsWith(start)) continue;
      const weight = (word === start ? 2 : 1) * Math.log(1 + articles.length / index.get(word).length);
      for (const at of index.get(word)) hits.set(at, Math.max(hits.get(at) ?? 0, weight));
    }
    return hits;
  }

  function search() {
    const asked = [...new Set(words(form.elements.q.value))].map(found);
    const type = form.elements.type.value;
    const shown = [];
    articles.forEach((article, at) => {
      const fits = (!type || article.dataset.type === type) && asked.every((hits) => hits.has(at));
      article.hidden = !fits;
      if (fits) shown.push([asked.reduce((sum, hits) => sum + hits.get(at), 0), at]);
    });
    if (asked.length) shown.sort((one, other) => other[0] - one[0] || one[1] - other[1]);
    shown.forEach(([, at], place) => (articles[at].style.order = place));
    count.textContent = `${shown.length.toLocaleString()} of ${articles.length.toLocaleString()} memories`;
    draw(shown.map(([, at]) => articles[at]));
  }

  /** Draw how many of these memories each month has. */
  function draw(these) {
    const months = new Map();
    for (const article of these) {
      const month = article.querySelector('time')?.dateTime.slice(0, 7);
      if (month) months.set(month, (months.get(month) ?? 0) + 1);
    }
    const all = [...months].sort().slice(-24);
    const most = Math.max(1, ...all.map(([, number]) => number));
    const make = (name, attributes, text = '') => {
      const one = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
      one.textContent = text;
      return one;
    };
    const label = `Memories by month: ${all.map(([month, number]) => `${month} ${number}`).join(', ')}`;
    const svg = make('svg', { viewBox: '0 0 480 76', role: 'img', 'aria-label': label });
    svg.style.maxWidth = '40rem';
    all.forEach(([, number], at) => {
      const height = Math.max(2, (48 * number) / most);
      svg.append(make('rect', { class: 'bar', x: at * 20, y: 52 - height, width: 16, height }));
    });
    if (all.length) svg.append(make('text', { x: 0, y: 70 }, all[0][0]));
    if (all.length > 4) svg.append(make('text', { x: all.length * 20 - 4, y: 70, 'text-anchor': 'end' }, all.at(-1)[0]));
    document.getElementById('timeline').replaceChildren(...(all.length ? [svg] : []));
  }

  const list = document.querySelector('.list');
  list.style.display = 'flex';
  list.style.flexDirection = 'column';
  form.hidden = false;
  form.addEventListener('input', search);
  form.addEventListener('submit', (event) => event.preventDefault());
  search();
})();
