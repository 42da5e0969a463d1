import { expect, test } from 'vitest';
import { commandLinks, keyOf, OPEN, withKey, withoutCommands, withoutKey } from '../../src/links';

function commandOf(link: string): [string, unknown] {
  const [, command = '', args = ''] = /\(command:([\w.]+)\?([^\s()]*) "[A-Z][a-z ]+"\)/.exec(link) ?? [];
  return [command, JSON.parse(decodeURIComponent(args))];
}

test('addresses of documents and files become commands with their repository; other links stay', () => {
  const [record, file, rest] = commandLinks('[History](muninn:/memory/01k.md) | [a](file:///repo/a.py#L4) | muninn:/memory/01k.md', 'repo-1').split(' | ');
  expect(commandOf(record ?? '')).toEqual([OPEN, ['muninn://repo-1/memory/01k.md']]);
  expect(commandOf(file ?? '')).toEqual([OPEN, ['file:///repo/a.py#L4']]);
  expect(rest).toBe('muninn:/memory/01k.md');
});

test('a server command carries its repository', () => {
  const args = encodeURIComponent(JSON.stringify([{ id: 'm1' }]));
  expect(commandOf(commandLinks(`[Forget](command:muninn.forget?${args})`, 'repo-1'))).toEqual(['muninn.forget', [{ id: 'm1' }, 'repo-1']]);
});

test('without server commands, links to documents stay', () => {
  const forget = `[Forget](command:muninn.forget?${encodeURIComponent(JSON.stringify([{ id: 'm1' }]))})`;
  expect(withoutCommands(`${forget} · [History](muninn:/memory/01k.md)`)).toBe('[History](muninn:/memory/01k.md)');
  expect(withoutCommands(`${forget} · ${forget}`)).toBe('');
});

test('text that the server escaped stays as it is', () => {
  const texts = ['[x](command:muninn.forget?%E0)', '[x](muninn:/memory/01k.md)', '[[x](command:muninn.a?1)[y](https://example.org)'];
  for (const text of texts) {
    for (const escaped of [text, `\\${text}`].map((each) => each.replace(/[\\[\]]/g, '\\$&'))) {
      expect(commandLinks(escaped, 'k')).toBe(escaped);
      expect(withoutCommands(escaped)).toBe(escaped);
    }
  }
  const forget = `[a \\[b\\] \\\\](command:muninn.forget?${encodeURIComponent(JSON.stringify([{ id: 'm1' }]))})`;
  expect(withoutCommands(`\\\\${forget}`)).toBe('\\\\');
  expect(commandOf(commandLinks(forget, 'k'))).toEqual(['muninn.forget', [{ id: 'm1' }, 'k']]);
});

test('long texts of brackets and backslashes take linear time', () => {
  for (const text of ['[', '\\', '\\[', '](', '\\\\]('].map((each) => each.repeat(100_000))) {
    const begun = performance.now();
    expect(commandLinks(withoutCommands(text), 'k')).toBe(text);
    expect(performance.now() - begun).toBeLessThan(5_000);
  }
});

test('an address can not break out of its link', () => {
  expect(commandLinks('[x](muninn:/a) [y](command:evil)', 'k')).not.toContain('evil"');
  expect(commandLinks('[x](muninn:/a b)', 'k')).toBe('[x](muninn:/a b)');
});

test("an address with a repository converts back to the server's address", () => {
  for (const uri of ['muninn:/memory/01k/Use%20limpets.md', 'muninn:/pack.md?query=a%2Fb&budget=10']) {
    expect(withKey(uri, 'repo-1')).toBe(uri.replace('muninn:/', 'muninn://repo-1/'));
    expect(withKey(withKey(uri, 'repo-1'), 'other-2')).toBe(withKey(uri, 'repo-1'));
    expect(withoutKey(withKey(uri, 'repo-1'))).toBe(uri);
    expect(withoutKey(uri)).toBe(uri);
  }
  for (const uri of ['file:///repo/muninn:/a.py', 'https://example.org/']) expect([withKey(uri, 'k'), withoutKey(uri)]).toEqual([uri, uri]);
});

test("a repository's key is a valid host, and two repositories of one name have different keys", () => {
  const keys = ['/one/My Project', '/two/My Project', '/', '/三'].map(keyOf);
  for (const key of keys) expect(key).toMatch(/^[a-z0-9-]+$/);
  expect(keys[0]).toMatch(/^my-project-/);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keyOf('/one/My Project')).toBe(keys[0]);
});
