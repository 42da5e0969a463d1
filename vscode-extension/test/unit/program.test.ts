import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fits, installation, serverCommand } from '../../src/program';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muninn-program-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(...parts: string[]): string {
  const file = path.join(folder, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

/** A machine whose programs are in the folder of the test. */
const env = () => ({ PATH: path.join(folder, 'bin'), HOME: path.join(folder, 'home') });

test('a command from the settings is used as it is', () => {
  program('.venv', 'bin', 'muninn');
  expect(serverCommand(['/opt/muninn', 'lsp'], folder)).toEqual(['/opt/muninn', 'lsp']);
});

test("the workspace's own environment comes before the PATH", () => {
  expect(serverCommand(undefined, folder, env())).toEqual(['muninn', 'lsp']);
  const other = program('bin', 'muninn');
  expect(serverCommand(undefined, folder, env())).toEqual([other, 'lsp']);
  const own = program('.venv', 'bin', 'muninn');
  expect(serverCommand(undefined, folder, env())).toEqual([own, 'lsp']);
  expect(serverCommand([], folder, env())).toEqual([own, 'lsp']);
});

test('without a folder neither its environment nor relative folders of the PATH are searched', () => {
  program('.venv', 'bin', 'muninn');
  expect(serverCommand(undefined, undefined, { ...env(), PATH: path.relative(process.cwd(), path.join(folder, '.venv', 'bin')) })).toEqual(['muninn', 'lsp']);
});

test('a program of uv or pipx is found where the PATH lacks their folder', () => {
  const own = program('home', '.local', 'bin', 'muninn');
  expect(serverCommand(undefined, folder, env())).toEqual([own, 'lsp']);
  const chosen = program('tools', 'muninn');
  expect(serverCommand(undefined, folder, { ...env(), UV_TOOL_BIN_DIR: path.dirname(chosen) })).toEqual([chosen, 'lsp']);
});

test('a file that may not be run is no program', () => {
  chmodSync(program('venv', 'bin', 'muninn'), 0o644);
  expect(serverCommand(undefined, folder, env())).toEqual(['muninn', 'lsp']);
});

test('uv installs if present, else pipx, else nothing', () => {
  expect(installation(env())).toBeUndefined();
  const pipx = program('bin', 'pipx');
  expect(installation(env())).toEqual([pipx, 'install', 'muninn-memory']);
  const uv = program('home', '.local', 'bin', 'uv');
  expect(installation(env())).toEqual([uv, 'tool', 'install', 'muninn-memory']);
});

test('until 1.0 a server fits an extension of the same minor version, later of the same major version', () => {
  expect(fits('0.1.7', '0.1.0')).toBe(true);
  expect(fits('0.2.0', '0.1.0')).toBe(false);
  expect(fits('1.4.0', '1.2.3')).toBe(true);
  expect(fits('', '0.1.0')).toBe(false);
});
