/** What is taken from the words of a service: its message, and when it wants to be asked again. */
import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../src/services/answers.ts';
import { readServiceWords, shortenText } from '../../src/services/answers.ts';

/** Nested too deeply to be read. */
const BOMB = '['.repeat(400_000) + ']'.repeat(400_000);

describe('the message of the service', () => {
  test.each([
    ['{"error":"a","message":"b"}', 'a'],
    ['{"error":"","message":"b"}', 'b'],
    ['{"email":["not valid"]}', '{"email":["not valid"]}'],
    ['"just a string"', 'just a string'],
    ['  plain \n', 'plain'],
    ['<!DOCTYPE html><html><head><title> 502 Bad Gateway </title>', '502 Bad Gateway'],
    ['<html></html>', null],
    ['', null],
    [BOMB, BOMB],
    // Only the head of a page is searched: the whole would take minutes.
    [`<html>${'<title'.repeat(150_000)}`, null],
  ])('%#', (text, words) => {
    expect(readServiceWords(text)).toBe(words);
  });

  test('is cut between characters, never inside one', () => {
    expect(shortenText('😀😀😀', 2)).toBe('😀…');
    expect(shortenText('abc', 3)).toBe('abc');
  });
});

test.each([
  [{ 'retry-after': '5' }, 5_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': 'Sat, 21 Nov 2026 10:00:07 GMT' }, 7_000],
  [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '-3' }, null],
  [{ 'retry-after': '' }, null],
  [{}, null],
])('%j is a wait of %j ms', (headers, expected) => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  expect(retryAfterMs(new Headers({ ...headers }), now)).toBe(expected);
});
