import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { complete, end, launch } from '../../src/process';

const folder = mkdtempSync(path.join(tmpdir(), 'muninn-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

const node = (script: string): string[] => [process.execPath, '-e', script];
const deaf = (): void => undefined;

test('a missing program is named with a hint', async () => {
  await expect(launch(['no-such-program-here', 'lsp'], folder, deaf)).rejects.toMatchObject({
    kind: 'missing_program',
    message: "the program 'no-such-program-here' was not found",
    hint: expect.stringContaining('muninn.server.command'),
  });
});

test('a file that may not be run is no program', async () => {
  const file = path.join(folder, 'text');
  writeFileSync(file, 'text', { mode: 0o644 });
  await expect(launch([file], folder, deaf)).rejects.toMatchObject({ kind: 'missing_program' });
});

test('an empty command is refused', async () => {
  await expect(launch([], folder, deaf)).rejects.toMatchObject({ kind: 'missing_program' });
});

test("a failing program's last lines are reported, and every line is passed on", async () => {
  const heard: string[] = [];
  const script = "for (const word of ['one', 'two', 'three', 'four']) console.error(word); process.exitCode = 3";
  const { ended } = await launch(node(script), folder, (line) => heard.push(line));
  expect(await ended).toBe('the language server ended with status 3: two three four');
  expect(heard).toEqual(['one', 'two', 'three', 'four']);
});

test('a command runs to its end, and lines of both its outputs are passed on', async () => {
  const heard: string[] = [];
  const given = { cwd: folder, onLine: (line: string) => heard.push(line), stopped: deaf };
  await complete(node("console.log('found'); console.error('taken')"), given);
  expect(heard.sort()).toEqual(['found', 'taken']);
  const failing = complete(node("console.error('no such package'); process.exitCode = 2"), given);
  await expect(failing).rejects.toMatchObject({ kind: 'ended', message: expect.stringMatching(/ended with status 2: no such package$/) });
  await expect(complete(['no-such-program-here'], given)).rejects.toMatchObject({ kind: 'missing_program' });
});

test('a command that a person stops counts as cancelled, not failed', async () => {
  const stopped = (stop: () => void): void => void setTimeout(stop, 0);
  const given = { cwd: folder, onLine: deaf, stopped };
  await expect(complete(node('setInterval(() => {}, 1000)'), given)).rejects.toMatchObject({ kind: 'cancelled' });
});

test('a program that reads its input exits when the input ends', async () => {
  const program = await launch(node('process.stdin.resume()'), folder, deaf);
  await end(program, 10_000);
  expect(await program.ended).toBe('the language server ended with status 0');
});

test('a program that does not exit is killed', async () => {
  const program = await launch(node('setInterval(() => {}, 1000)'), folder, deaf);
  await end(program, 10);
  expect(await program.ended).toBe('the language server was ended by SIGKILL');
});
