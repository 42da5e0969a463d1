import { expect, test } from 'vitest';
import { Failure, failureOf, sentence } from '../../src/failure';

function answer(code: number, message: string, data?: unknown): Error {
  return Object.assign(new Error(message), { code, data });
}

test('a broken connection means that the server ended', () => {
  expect(failureOf(Object.assign(new Error('Pending response rejected'), { code: -32097 })).kind).toBe('ended');
});

test('a server error keeps its kind and hint', () => {
  const failure = failureOf(answer(-32012, 'no memory here', { kind: 'not_initialised', hint: 'Run init.' }));
  expect(failure).toMatchObject({ kind: 'not_initialised', message: 'no memory here', hint: 'Run init.' });
});

test('cancellations by client or server count as cancelled', () => {
  expect(failureOf(answer(-32800, 'cancelled')).kind).toBe('cancelled');
  expect(failureOf(answer(-32802, 'cancelled')).kind).toBe('cancelled');
});

test('any other thrown value becomes an error with its text', () => {
  expect(failureOf(new TypeError('x is not a function'))).toMatchObject({ kind: 'error', message: 'x is not a function' });
  expect(failureOf('words')).toMatchObject({ kind: 'error', message: 'words', hint: '' });
  expect(failureOf(answer(-32603, 'inside', 'a plain string'))).toMatchObject({ kind: 'error', hint: '' });
});

test('a failure stays as it is', () => {
  const failure = new Failure('ended', 'gone');
  expect(failureOf(failure)).toBe(failure);
});

test('message and hint are shown as sentences', () => {
  expect(sentence(new Failure('storage', 'the disk is full', 'Free some space.'))).toBe(
    'Muninn: the disk is full. Free some space.',
  );
  expect(sentence(new Failure('error', 'Really?'))).toBe('Muninn: Really?');
  expect(sentence(new Failure('error', 'gone'), 'Muninn (api)')).toBe('Muninn (api): gone.');
});
