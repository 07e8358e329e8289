import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../src/services/retry-after.ts';
import { checkToken, readServiceUrl } from '../../src/services/target.ts';
import { serviceWords, shorten } from '../../src/services/words.ts';

describe('the message of the service', () => {
  test.each([
    ['{"error":"a","message":"b"}', 'a'],
    ['{"error":"","message":"b"}', 'b'],
    ['"just a string"', 'just a string'],
    ['{"code":7}', '{"code":7}'],
    ['  plain \n', 'plain'],
    ['<!DOCTYPE html><html><head><title> 502 Bad Gateway </title>', '502 Bad Gateway'],
    ['<html></html>', null],
    ['', null],
  ])('%j: %j', (text, words) => {
    expect(serviceWords(text)).toBe(words);
  });

  test('of a page is only searched in its head', () => {
    const begun = performance.now();
    expect(serviceWords(`<html>${'<title'.repeat(150_000)}`)).toBeNull();
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test('is the unchanged text if the JSON is nested too deeply to be read', () => {
    const bomb = '['.repeat(400_000) + ']'.repeat(400_000);
    expect(serviceWords(bomb)).toBe(bomb);
  });

  test('is cut between characters, never inside one', () => {
    expect(shorten('😀😀😀', 2)).toBe('😀…');
    expect(shorten('abc', 3)).toBe('abc');
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  test.each([
    ['5', 5_000],
    ['0', 0],
    ['1.5', 1_500],
    ['Sat, 21 Nov 2026 10:00:07 GMT', 7_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['soon', null],
    ['-3', null],
    ['', null],
  ])('%j: %j ms', (value, expected) => {
    expect(retryAfterMs(new Headers({ 'retry-after': value }), now)).toBe(expected);
  });

  test('none: null', () => {
    expect(retryAfterMs(new Headers(), now)).toBeNull();
  });
});

describe('the address of a service', () => {
  test.each(['', 'example.org', 'ftp://x', 'http://x/?a=1', 'http://x/#a', 'http://user:pass@x/'])(
    '%j is refused',
    (url) => {
      expect(() => readServiceUrl(url)).toThrow(
        expect.objectContaining({ code: 'SERVICE_URL_INVALID' }),
      );
    },
  );

  test('a refusal does not show a password', () => {
    expect(() => readServiceUrl('http://user:secret@x/')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') as string }),
    );
  });

  test.each(['', ' x', 'x\n', 'é', 'x'.repeat(101)])(
    'the token %j is refused, and not shown',
    (token) => {
      expect(() => checkToken(token, 100)).toThrow(
        expect.objectContaining({ code: 'TOKEN_UNUSABLE' }),
      );
    },
  );

  test('any other string of up to 100 characters is a token (contract 5.1)', () => {
    for (const token of ['x', 'my token', 'x'.repeat(100), '!"§'.replace('§', '$')]) {
      expect(() => checkToken(token, 100)).not.toThrow();
    }
  });
});
