// Searches the articles of this page by an index of their words. The index is made in slices after the page is shown, so
// that nothing waits for it; nothing is sent anywhere. `fitting.js` stands before it in the same script.
(() => {
  const MOST = 200; // articles at once; a button shows the rest
  const SLICE = 400; // articles that are indexed at a time
  const NODES = 14; // memories, and files, in the graph
  const FORMS = [ // of the graph: the style sheet shows the one that fits; where its columns are
    { form: 'wide', width: 850, from: 350, to: 500 },
    { form: 'narrow', width: 400, from: 150, to: 250 },
  ];
  const ASIDE = 12; // from a circle of the graph to its text
  const articles = [...document.querySelectorAll('article')];
  const form = document.querySelector('form');
  const list = document.querySelector('.list');
  const count = document.querySelector('.count');
  const more = document.querySelector('button');
  const index = new Map();
  const types = [];
  const months = [];
  const graph = document.getElementById('graph');
  let known = null;
  let drawn = [];

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
    let matching = asked.length ? [...asked[0].keys()].filter((at) => asked.every((hits) => hits.has(at))) : articles.map((_, at) => at);
    if (type) matching = matching.filter((at) => types[at] === type);
    const score = new Map(matching.map((at) => [at, asked.reduce((sum, hits) => sum + hits.get(at), 0)]));
    if (asked.length) matching.sort((one, other) => score.get(other) - score.get(one) || one - other);
    const shown = matching.slice(0, most);
    list.replaceChildren(...shown.map((at) => articles[at]));
    const all = numbered(articles.length, 'memory', 'memories');
    count.textContent = `${matching.length.toLocaleString('en')} of ${all}${asked.length ? ', best first' : ', newest first'}`;
    more.hidden = shown.length === matching.length;
    drawn = matching;
    draw(matching);
    if (graph.open) relate();
  }

  function numbered(number, one, many) {
    return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
  }

  /** An element of SVG. */
  function make(name, attributes, ...children) {
    const one = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    one.append(...children);
    return one;
  }

  /** Draw how many of these memories each of the last two years' months has. */
  function draw(matching) {
    const sums = new Map();
    for (const at of matching) if (months[at]) sums.set(months[at], (sums.get(months[at]) ?? 0) + 1);
    const all = [...sums].sort().slice(-24);
    const most = Math.max(1, ...all.map(([, number]) => number));
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

  const files = (at) => [...articles[at].querySelectorAll('code')].map((one) => one.textContent);
  const links = (at) => (articles[at].dataset.links ?? '').split(' ').filter(Boolean).map(Number);

  /** The files that most of the found memories are about, and the memories with the most of these files and of links. */
  function chosen() {
    const about = new Map();
    const fits = new Set(drawn);
    const ends = new Map();
    for (const at of drawn) {
      for (const file of files(at)) about.set(file, (about.get(file) ?? 0) + 1);
      for (const other of links(at)) if (fits.has(other)) for (const end of [at, other]) ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    const right = [...about].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).slice(0, NODES).map(([file]) => file);
    const weight = new Map(drawn.map((at) => [at, (ends.get(at) ?? 0) + files(at).filter((file) => right.includes(file)).length]));
    const left = drawn.filter((at) => weight.get(at)).sort((one, other) => weight.get(other) - weight.get(one)).slice(0, NODES);
    return [left, right.filter((file) => left.some((at) => files(at).includes(file)))];
  }

  /** Draw found memories, the files that they are about, and their links. A memory is a link to its article. */
  function relate() {
    const [left, right] = chosen();
    const empty = document.createElement('p');
    empty.textContent = 'These memories name no files and are not linked.';
    for (const at of left) articles[at].id = `m-${at}`;
    graph.querySelector('figure').replaceChildren(...(left.length ? FORMS.map((form) => related(form, left, right)) : [empty]));
  }

  /** One form of the drawing. A long title lacks its end, a long path its beginning. */
  function related({ form, width, from: x, to: aside }, left, right) {
    const high = Math.max(left.length, right.length, 1) * 26 + 16;
    const y = (place, number) => high / 2 + (place - (number - 1) / 2) * 26;
    const from = new Map(left.map((at, place) => [at, y(place, left.length)]));
    const to = new Map(right.map((file, place) => [file, y(place, right.length)]));
    const bend = (x + aside) / 2;
    const near = x + (aside - x) / 3;
    const edges = [];
    for (const at of left) {
      for (const file of files(at)) if (to.has(file)) edges.push(make('path', { class: 'edge', d: `M${x} ${from.get(at)} C${bend} ${from.get(at)} ${bend} ${to.get(file)} ${aside} ${to.get(file)}` }));
      for (const other of links(at)) if (from.has(other)) edges.push(make('path', { class: 'edge dashed', d: `M${x} ${from.get(at)} C${near} ${from.get(at)} ${near} ${from.get(other)} ${x} ${from.get(other)}` }));
    }
    const memories = left.map((at) => {
      const title = articles[at].querySelector('h2').textContent.replace(/\s+/g, ' ');
      const node = make('a', { href: `#m-${at}` }, make('title', {}, title), make('circle', { class: 'node', cx: x, cy: from.get(at), r: 4 }),
        make('text', { x: x - ASIDE, y: from.get(at) + 4, 'text-anchor': 'end' }, fitting(title, x - ASIDE, (most) => `${title.slice(0, most)}…`)));
      node.addEventListener('click', () => articles[at].isConnected || list.append(articles[at]));
      return node;
    });
    const about = right.map((file) => make('g', {}, make('title', {}, file), make('circle', { class: 'file', cx: aside, cy: to.get(file), r: 4 }),
      make('text', { x: aside + ASIDE, y: to.get(file) + 4 }, fitting(file, width - aside - ASIDE, (most) => `…${file.slice(file.length - most)}`))));
    const label = `${numbered(left.length, 'memory', 'memories')} and ${numbered(right.length, 'file', 'files')} that they are about; a dashed line joins linked memories`;
    return make('svg', { class: form, viewBox: `0 0 ${width} ${high}`, role: 'group', 'aria-label': label }, ...edges, ...memories, ...about);
  }

  function slices() {
    indexSlice(SLICE);
    if (known) search();
    else setTimeout(slices);
  }

  list.replaceChildren(...articles.slice(0, MOST));
  form.hidden = false;
  graph.hidden = false;
  graph.addEventListener('toggle', () => graph.open && relate());
  form.addEventListener('input', () => search());
  form.addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', () => search(Infinity));
  setTimeout(slices);
})();
