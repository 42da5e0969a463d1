// The repository of the pictures: a small shop with memory, whose memories are some days old.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { muninn, repository } from './repository.mjs';

const FILES = {
  'src/sessions.py': [
    '"""Sessions of customers."""',
    '',
    'import hmac',
    '',
    'LIFETIME = 14 * 24 * 3600',
    '',
    '',
    'def sign(session: str, secret: bytes) -> str:',
    '    """Return the cookie of a session."""',
    '    mark = hmac.new(secret, session.encode(), "sha256")',
    '    return f"{session}.{mark.hexdigest()}"',
    '',
    '',
    'def load(cookie: str, redis: Redis) -> Session:',
    '    """Return the session of a cookie."""',
    '    session, _, _ = cookie.partition(".")',
    '    return redis.get(session) or Session()',
    '',
  ],
  'src/cart.py': [
    '"""The cart of a session."""',
    '',
    '',
    'def total(cents: list[int]) -> int:',
    '    """Return the sum of the prices."""',
    '    return sum(cents)',
    '',
    '',
    'def add(cart: Cart, item: Item) -> None:',
    '    """Put an item into the cart."""',
    '    cart.items.append(item)',
    '',
  ],
  'docs/sessions.md': ['# Sessions', '', 'A cookie has the id of a session. The session itself is in Redis.', ''],
};

/** Type, text and place of each memory, the newest first. */
const MEMORIES = [
  ['decision', 'Cookies carry only a signed session id. The whole cart in the cookie overflowed the 4 KB that browsers allow.', 'src/sessions.py:8-11'],
  ['constraint', 'Sessions are never kept in the process. Two servers answer in turn, and a customer may reach either.', 'src/sessions.py:14-17'],
  ['attempt', '90 days are too long. The store grew by 2 GB each day.', 'src/sessions.py:5-5'],
  ['bug_fix', 'Prices are counted in cents. Sums of three prices lost a cent as floats.', 'src/cart.py:4-6'],
  ['pattern', 'Functions of the cart change it in place and return nothing.', 'src/cart.py:9-11'],
];

const CHANGED = ['    return sum(cents)', '    return sum(cents) + shipping(cents)'];
const AGE = [3, 5, 12, 20, 33]; // days

/** Makes the shop. Returns { root, remove }. `add` are the command lines of muninn that come last. */
export function shop(add = []) {
  const made = repository(path.join(mkdtempSync(path.join(tmpdir(), 'muninn-shop-')), 'shop'), FILES);
  const ask = (...words) => execFileSync(muninn, [...words, '--repo', made.root], { stdio: 'pipe' });
  const git = (...words) => execFileSync('git', ['-C', made.root, '-c', 'user.email=maintainer@example.invalid', ...words], { stdio: 'pipe' });
  git('config', 'user.name', 'Maintainer');
  ask('init');
  for (const [type, text, cite] of [...MEMORIES].reverse()) ask('remember', text, '--type', type, '--cite', cite, '--session', 'shell');
  ask('seal');
  ask('daemon', 'stop');
  backdate(path.join(made.root, '.muninn', 'memory', 'sessions'));
  git('add', '.');
  git('commit', '-q', '-m', 'Remember why');
  for (const words of add) ask(...words);
  const cart = path.join(made.root, 'src', 'cart.py');
  writeFileSync(cart, readFileSync(cart, 'utf8').replace(...CHANGED));
  const remove = () => {
    made.remove();
    rmSync(path.dirname(made.root), { recursive: true, force: true });
  };
  return { root: made.root, remove };
}

/** Gives the sealed memories, the oldest first, their ages. */
function backdate(folder) {
  const [name] = readdirSync(folder).filter((each) => each.endsWith('.jsonl'));
  const file = path.join(folder, name);
  let next = AGE.length;
  const lines = readFileSync(file, 'utf8').split('\n').map((line) => {
    if (!line.includes('"text"')) return line;
    const day = new Date(Date.now() - AGE[(next -= 1)] * 86_400_000).toISOString();
    return line.replace(/"ts":\s?"[^"]+"/, `"ts":"${day}"`);
  });
  writeFileSync(file, lines.join('\n'));
}
