import { describe, expect, test } from 'vitest';
import { brief, read } from './manifests.ts';

/** The inverse of `TextDecoder`, by trying all characters of one and two bytes. */
function encoded(text: string, label: string): Buffer {
  if (label.startsWith('utf-16')) {
    const bytes = Buffer.from(text, 'utf16le');
    return label === 'utf-16be' ? bytes.swap16() : bytes;
  }
  const bytesOf = new Map<string, number[]>();
  const decoder = new TextDecoder(label);
  const learn = (...bytes: number[]): void => {
    const character = decoder.decode(Uint8Array.from(bytes));
    if (!bytesOf.has(character)) bytesOf.set(character, bytes);
  };
  for (let one = 0; one < 256; one += 1) learn(one);
  for (let one = 0x81; one < 0xff; one += 1) {
    for (let two = 0x40; two < 0xff; two += 1) learn(one, two);
  }
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = bytesOf.get(character);
      if (bytes === undefined) throw new Error(`${character} is not in ${label}`);
      return bytes;
    }),
  );
}

describe('encodings', () => {
  test('the line of the first invalid byte is reported, also beyond the first chunk of the file', async () => {
    const good = `id,smiles,title\r\n${'x,C,ünïcödé\r\n'.repeat(6_000)}`;
    const { problems } = await read(
      't.csv',
      Buffer.concat([Buffer.from(good), Buffer.from([0xe9])]),
    );
    const bad = problems.filter(({ code }) => code === 'MANIFEST_NOT_UTF8');
    expect(brief(bad)).toEqual(['MANIFEST_NOT_UTF8 6002 - -']);
  });

  test('characters that span two chunks are decoded', async () => {
    const title = '😀'.repeat(50_000);
    for (const shift of ['', 'x', 'xx', 'xxx']) {
      const { items, problems } = await read('t.csv', `id,smiles,title\na,C,${shift}${title}\n`);
      expect(problems).toEqual([]);
      expect(items[0]?.title).toBe(shift + title);
    }
  });

  test.each(['.json', '.jsonl', '.csv'])(
    'a CRLF that spans two chunks is one line break (%s)',
    async (extension) => {
      // Files are read in chunks of 64 KiB: the CR is the last byte of the first.
      const start = { '.json': '[ ', '.jsonl': ' ', '.csv': 'id,smiles,' }[extension] ?? '';
      const row = extension === '.csv' ? 'b,C,' : '{"id":"b","smiles":"C"}';
      const padding = (extension === '.csv' ? 'x' : ' ').repeat(64 * 1024 - 1 - start.length);
      const end = extension === '.json' ? ']' : '';
      const bad = Buffer.concat([
        Buffer.from(`${start}${padding}\r\n${row}\r\n`),
        Buffer.from([0x81]),
      ]);
      const reading = await read(`t${extension}`, `${start}${padding}\r\n${row}${end}`);
      expect(reading.items.map(({ id, source }) => [id, source.line])).toEqual([['b', 2]]);
      const { problems } = await read(`t${extension}`, bad);
      const found = problems.find(({ code }) => code === 'MANIFEST_NOT_UTF8');
      expect(found?.line).toBe(3);
    },
  );

  test.each([
    ['utf-16le', 'utf-16le'],
    ['utf-16be', 'utf-16be'],
  ])('UTF-16, the "Unicode text" of spreadsheets, is read (%s)', async (encoding, told) => {
    const rows = 'id,smiles,title\r\na,C,Größe\r\nb,CC,"β\r\nγ"\r\nc,C,x';
    const bytes = encoded(`\uFEFF${rows}`, encoding);
    const { items, problems } = await read('t.csv', bytes);
    expect(brief(problems)).toEqual(['MANIFEST_TRANSCODED 1 - -']);
    expect(problems[0]?.message.toLowerCase()).toContain(told);
    expect(items.map(({ id, title, source }) => [id, title, source.line])).toEqual([
      ['a', 'Größe', 2],
      ['b', 'β\r\nγ', 3],
      ['c', 'x', 5],
    ]);
  });

  const GERMAN = ['für die Prüfung der Lösung', 'Größe über Maß', 'Säure, verdünnt'];
  const FRENCH = ['échantillon préparé à 20 °C', 'déjà testé', 'très soluble'];
  test.each([
    ['windows-1252', 'windows-1252', GERMAN],
    ['latin1', 'windows-1252', FRENCH],
    ['windows-1252', 'windows-1252', ['Müller']],
    ['windows-1252', 'windows-1252', ['Größe']],
    ['windows-1250', 'windows-1252', ['Größe']],
    ['windows-1252', 'windows-1252', ['5 µM', '25 °C ± 1', '“pure”']],
  ])('%s is read as %s: %j', async (encoding, told, titles) => {
    const many = titles.length === 1 ? titles : Array.from({ length: 20 }, () => titles).flat();
    const rows = many.map((title) => `C,"${title}"`);
    const bytes = encoded(['smiles,title', ...rows].join('\n'), encoding);
    const { items, problems } = await read('t.csv', bytes);
    expect(brief(problems).map((line) => line.split(' ', 2).join(' '))).toEqual([
      'MANIFEST_TRANSCODED 1',
    ]);
    expect(problems[0]).toMatchObject({ severity: 'warning' });
    expect(problems[0]?.message).toContain(told);
    expect(items.map(({ title }) => title)).toEqual(many);
  });

  test('another code page is read as windows-1252 with a warning that shows a word', async () => {
    const bytes = Buffer.concat([
      Buffer.from('smiles,title\nC,'),
      encoded('образец вещества', 'windows-1251'),
    ]);
    const { problems } = await read('t.csv', bytes);
    expect(problems).toMatchObject([{ code: 'MANIFEST_TRANSCODED', severity: 'warning' }]);
    expect(problems[0]?.message).toContain('`îáðàçåö`');
  });

  test('is detected from the first non-ASCII bytes, also late in the file', async () => {
    const before = 'x,C,plain\r\n'.repeat(50_000);
    const bytes = encoded(`id,smiles,title\r\n${before}a,C,Größe\r\n`, 'latin1');
    const { items, problems } = await read('t.csv', bytes);
    const told = problems.filter(({ code }) => code === 'MANIFEST_TRANSCODED');
    expect(told).toHaveLength(1);
    expect(items.at(-1)).toMatchObject({ id: 'a', title: 'Größe', source: { line: 50_002 } });
  });
});
