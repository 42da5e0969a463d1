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

test('what somebody has set counts alone', () => {
  program('.venv', 'bin', 'muninn');
  expect(serverCommand(['/opt/muninn', 'lsp'], folder)).toEqual(['/opt/muninn', 'lsp']);
});

test("the workspace's own environment comes before the PATH", () => {
  expect(serverCommand(undefined, folder)).toEqual(['muninn', 'lsp']);
  const own = program('.venv', 'bin', 'muninn');
  expect(serverCommand(undefined, folder)).toEqual([own, 'lsp']);
  expect(serverCommand([], folder)).toEqual([own, 'lsp']);
});

test('a file that may not be run is no program', () => {
  chmodSync(program('venv', 'bin', 'muninn'), 0o644);
  expect(serverCommand(undefined, folder)).toEqual(['muninn', 'lsp']);
});

test('uv installs where it is there, pipx otherwise, and nothing where neither is', () => {
  expect(installation(folder)).toBeUndefined();
  program('pipx');
  expect(installation(folder)).toBe('pipx install muninn-memory');
  program('uv');
  expect(installation(folder)).toBe('uv tool install muninn-memory');
});

test('a server fits an extension of the same line of versions', () => {
  expect(fits('0.1.7', '0.1.0')).toBe(true);
  expect(fits('0.2.0', '0.1.0')).toBe(false);
  expect(fits('1.4.0', '1.2.3')).toBe(true);
  expect(fits('', '0.1.0')).toBe(false);
});
