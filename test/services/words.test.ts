import { describe, expect, test } from 'vitest';
import { hideToken } from '../../src/services/hide-token.ts';
import { retryAfterMs } from '../../src/services/retry-after.ts';
import { checkToken, readServiceUrl } from '../../src/services/target.ts';
import { createRedact, serviceWords, shorten } from '../../src/services/words.ts';
import { collect } from './collect.ts';

describe('the words of a service', () => {
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

  test('are cut between characters, never inside one', () => {
    expect(shorten('😀😀😀', 2)).toBe('😀…');
    expect(shorten('abc', 3)).toBe('abc');
  });

  test.each(['tok-9f3a7c-long', 'with "quotes" \\ and / in it', 'a+b(c)*[d]'])(
    'do not show the token %j',
    (token) => {
      const text = createRedact(token)(
        `x ${token} y ${JSON.stringify({ token })} z ${encodeURIComponent(token)}`,
      );
      expect(text).toBe('x [token] y {"token":"[token]"} z [token]');
    },
  );

  test('stay readable where the token is short', () => {
    expect(createRedact('a')('a banana, token "a"')).toBe('[token] banana, token "[token]"');
  });
});

describe('a token in a stream of bytes', () => {
  async function hidden(chunks: string[], token: string): Promise<string> {
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
    }
    return (await collect(hideToken(body(), token))).toString();
  }

  test('is blanked wherever the chunks are cut', async () => {
    const text = '{"token":"abcde12345","log":"abcde12345abcde12345","other":"abcde1234"}';
    const expected = text.replaceAll('abcde12345', '**********');
    for (let size = 1; size <= text.length; size += 1) {
      const chunks = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      expect(await hidden(chunks, 'abcde12345'), `chunks of ${size}`).toBe(expected);
    }
  });

  test('a short one is blanked only as a whole string', async () => {
    expect(await hidden(['{"token":"CC","smi', 'les":"CCO","x":"CC"}'], 'CC')).toBe(
      '{"token":"**","smiles":"CCO","x":"**"}',
    );
  });

  test('an empty stream stays empty', async () => {
    expect(await hidden([], 'abcde12345')).toBe('');
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

describe('where a service is', () => {
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
