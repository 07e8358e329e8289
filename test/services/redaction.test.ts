/** Secrets in answers of a service, in every encoding and wherever the chunks are cut. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redaction } from '../../src/services/redaction.ts';
import { collect } from './jobs.ts';

const TOKEN = 'tK9secretZ';
const STARS = '*'.repeat(TOKEN.length);

async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let [at, n] = [0, 0];
  while (at < bytes.length) {
    const size = Math.max(1, sizes[n % sizes.length] ?? 1);
    yield await Promise.resolve(Buffer.from(bytes.subarray(at, at + size)));
    [at, n] = [at + size, n + 1];
  }
}

async function hidden(text: string, secret: string, sizes: readonly number[] = [7]) {
  const stream = new Redaction([secret]).stream(chunksOf(Buffer.from(text), sizes));
  const result = (await collect(stream)).toString();
  return { text: result, hidden: stream.hidden };
}

const inJson = (token: string): string => JSON.stringify(token).slice(1, -1);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const escaped = (one: string): string => `\\u00${one.charCodeAt(0).toString(16)}`;

/** How services and frameworks encode a token. `Basic` puts it in the middle of a base64 text. */
const FORMS: Readonly<Record<string, (token: string) => string>> = {
  plain: (token) => token,
  JSON: inJson,
  'JSON with escaped slashes': (token) => inJson(token).replaceAll('/', '\\/'),
  'JSON of Go': (token) => inJson(token).replace(/[<>&]/g, escaped),
  'JSON of .NET': (token) =>
    inJson(token)
      .replaceAll('\\"', '\\u0022')
      .replace(/[<>&'+`]/g, (one) => escaped(one).toUpperCase().replace('U', 'u')),
  URL: encodeURIComponent,
  'URL in small letters': (token) =>
    encodeURIComponent(token).replace(/%../g, (one) => one.toLowerCase()),
  form: (token) => new URLSearchParams({ '': token }).toString().slice(1),
  base64,
  base64url: (token) => Buffer.from(token).toString('base64url'),
  'Basic, one character before': (token) => base64(`u${token}!`),
  'Basic, two characters before': (token) => base64(`u:${token}--`),
  'Basic, three characters before': (token) => base64(`me:${token}?`),
  'base64url in a longer text': (token) => Buffer.from(`>?${token}>?`).toString('base64url'),
  'base64 in JSON of PHP': (token) => base64(token).replaceAll('/', '\\/'),
  'base64 in a URL': (token) => encodeURIComponent(base64(token)),
};

const character = (_: string, code: string): string =>
  String.fromCharCode(Number.parseInt(code, 16));
const fromUrl = (text: string): string => text.replace(/%([0-9a-f]{2})/gi, character);

/** Every decoding that a form was written for: none may restore the token. */
const READINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/\\+(?:u00|x)([0-9a-f]{2})/gi, character),
  (text) => text.replace(/\\+(["\\/])/g, '$1'),
  fromUrl,
  (text) => fromUrl(text.replace(/%25/g, '%')),
  (text) => fromUrl(text.replaceAll('+', ' ')),
  ...[0, 1, 2, 3].map(
    (cut) => (text: string) => Buffer.from(text.slice(cut), 'base64').toString('latin1'),
  ),
];

/** As the configuration accepts them: printable ASCII, no blanks at the ends. */
const tokens = fc
  .array(fc.integer({ min: 0x20, max: 0x7e }), { minLength: 8, maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))
  .filter((token) => token.trim() === token && new Set(token).size > 3);

const PARTS = ['"log": "', '\n', ' 1.000', '%FLAG TITLE', '{"a":[', 'Ä', '\\n', ',', ';'];
const around = fc
  .array(fc.constantFrom(...PARTS), { maxLength: 30 })
  .map((parts) => parts.join(''));

describe('a secret in a stream', () => {
  test.each(Object.keys(FORMS))('is overwritten in any form and place: %s', async (name) => {
    const form = FORMS[name]!;
    await fc.assert(
      fc.asyncProperty(
        ...[tokens, around, around, fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 })],
        async (token, before, behind, sizes) => {
          const spelled = form(token);
          const text = `${before} ${spelled} ${behind}`;
          const out = await hidden(text, token, sizes);
          expect(Buffer.byteLength(out.text)).toBe(Buffer.byteLength(text));
          expect(out.text.startsWith(`${before} `), 'before it nothing changes').toBe(true);
          expect(out.text.endsWith(` ${behind}`), 'behind it nothing changes').toBe(true);
          const place = out.text.slice(before.length + 1, before.length + 1 + spelled.length);
          for (const read of READINGS) expect(read(place)).not.toContain(token);
          expect(out.hidden.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each([
    ['the first search', 65_536, 10_000],
    ['the pieces that are searched', 70_000, 70_000],
  ])('is overwritten at the end of %s and the beginning of the next', async (_, end, size) => {
    for (const form of Object.values(FORMS)) {
      const spelled = form(TOKEN);
      for (const at of [0, 1, Math.floor(spelled.length / 2), spelled.length - 1]) {
        const text = `${'x'.repeat(end - at)},${spelled},${'y'.repeat(65_536)}`;
        const out = await hidden(text, TOKEN, [size]);
        expect(out.text.length).toBe(text.length);
        for (const read of READINGS) {
          expect(read(out.text.replace(/^x+,|,y+$/g, ''))).not.toContain(TOKEN);
        }
        // Not even a half of it is left.
        expect(out.hidden).toEqual([out.text.split('*').length - 1]);
      }
    }
  });

  test('is counted, and the surrounding text is not changed', async () => {
    const text = `{"token":"${TOKEN}","log":"${TOKEN}${TOKEN}","other":"${TOKEN.slice(0, 9)}"}`;
    for (let size = 1; size <= text.length; size += 1) {
      const out = await hidden(text, TOKEN, [size]);
      expect(out.text).toBe(text.replaceAll(TOKEN, STARS));
      expect(out.hidden).toEqual([10, 10, 10]);
    }
  });

  test('with asterisks in it is not revealed by the asterisks for another one', () => {
    const redaction = new Redaction(['**********x', TOKEN]);
    expect(redaction.text(`${TOKEN}x`)).not.toMatch(/[*]{10}x|tK9/);
  });

  test('a stream without a secret is not changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => {
        const stream = new Redaction([TOKEN, '']).stream(chunksOf(Buffer.from(bytes), [50]));
        expect(await collect(stream)).toEqual(Buffer.from(bytes));
        expect(stream.hidden).toEqual([]);
      }),
    );
  });
});

describe('a short secret', () => {
  const of = (secret: string, text: string): string => new Redaction([secret]).text(text);

  test('of 4 to 7 characters is overwritten if it stands alone', () => {
    expect(of('abc123', 'token abc123, xabc123 abc123-4 "abc123" abc123.')).toBe(
      'token ******, xabc123 abc123-4 "******" ******.',
    );
    expect(of('status', '{"status":"RUNNING"}'), 'not as the name of a field').toBe(
      '{"status":"RUNNING"}',
    );
    expect(of('night', 'night.seq-1.0f'), 'not as a part of a name').toBe('night.seq-1.0f');
  });

  test('of 1 to 3 characters is overwritten only after a name such as "token"', () => {
    expect(of('CC', '{"token":"CC","smiles":"CCO","x":"CC","seq":["CC"]}')).toBe(
      '{"token":"**","smiles":"CCO","x":"CC","seq":["CC"]}',
    );
    expect(of('a', 'a banana, token "a", ?token=a&x, Bearer a')).toBe(
      'a banana, token "*", ?token=*&x, Bearer *',
    );
  });

  test('is overwritten in its other encodings as well', () => {
    expect(of('abc12', '"YWJjMTI="')).not.toMatch(/YWJj/);
  });
});
