/** Encodings of tables: UTF-8 in chunks, UTF-16 of spreadsheets, and the code page of older ones. */
import { expect, test } from 'vitest';
import { brief, read } from './manifests.ts';

/** Windows-1252, of which these tests use the characters below U+0100 and two quotes. */
const western = (text: string): Buffer =>
  Buffer.from(text.replace('“', '\u0093').replace('”', '\u0094'), 'latin1');

test('the line of the first invalid byte is reported, also beyond the first chunk of the file', async () => {
  const good = `smiles,title\r\n${'C,ünïcödé\r\n'.repeat(6_000)}`;
  const { problems } = await read('t.csv', Buffer.concat([Buffer.from(good), Buffer.of(0xe9)]));
  const bad = problems.filter(({ code }) => code === 'MANIFEST_NOT_UTF8');
  expect(brief(bad)).toEqual(['MANIFEST_NOT_UTF8 6002 - -']);
});

test.each(['utf-16le', 'utf-16be'])(
  'UTF-16, the "Unicode text" of spreadsheets, is read (%s)',
  async (encoding) => {
    const rows = '\uFEFFid,smiles,title\r\na,C,Größe\r\nb,CC,"β\r\nγ"\r\nc,C,x';
    const bytes = Buffer.from(rows, 'utf16le');
    const { items, problems } = await read(
      't.csv',
      encoding === 'utf-16be' ? bytes.swap16() : bytes,
    );
    expect(brief(problems)).toEqual(['MANIFEST_TRANSCODED 1 - -']);
    expect(problems[0]?.message.toLowerCase()).toContain(encoding);
    expect(items.map(({ title, source }) => [title, source.line])).toEqual([
      ['Größe', 2],
      ['β\r\nγ', 3],
      ['x', 5],
    ]);
  },
);

test.each([
  [
    'many words',
    ['für die Prüfung', 'Größe über Maß', 'échantillon préparé à 20 °C', 'déjà testé'],
  ],
  ['signs', ['5 µM', '25 °C ± 1', '“pure”']],
])('windows-1252 is read with a warning: %s', async (_, titles) => {
  const rows = titles.map((title) => `C,"${title}"`);
  const { items, problems } = await read('t.csv', western(['smiles,title', ...rows].join('\n')));
  expect(problems).toMatchObject([{ code: 'MANIFEST_TRANSCODED', severity: 'warning', line: 2 }]);
  expect(problems[0]?.message).toContain('windows-1252');
  expect(items.map(({ title }) => title)).toEqual(titles);
});

test('another encoding is detected from the first non-ASCII bytes, also late in the file', async () => {
  const before = 'C,plain\r\n'.repeat(50_000);
  const { items, problems } = await read('t.csv', western(`smiles,title\r\n${before}C,Größe\r\n`));
  const told = problems.filter(({ code }) => code === 'MANIFEST_TRANSCODED');
  expect(told).toHaveLength(1);
  expect(items.at(-1)).toMatchObject({ title: 'Größe', source: { line: 50_002 } });
});
