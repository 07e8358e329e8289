import { describe, expect, test } from 'vitest';
import { brief, read } from './manifests.ts';

describe('encodings', () => {
  test('the line of the first bad byte is named, beyond the first chunk of the file', async () => {
    const good = `id,smiles,title\r\n${'x,C,ünïcödé\r\n'.repeat(20_000)}`;
    const { problems } = await read(
      't.csv',
      Buffer.concat([Buffer.from(good), Buffer.from([0xe9])]),
    );
    const bad = problems.filter(({ code }) => code === 'MANIFEST_NOT_UTF8');
    expect(brief(bad)).toEqual(['MANIFEST_NOT_UTF8 20002 - -']);
  });

  test('characters that lie across two chunks are whole', async () => {
    const title = '😀'.repeat(50_000);
    for (const shift of ['', 'x', 'xx', 'xxx']) {
      const { items, problems } = await read('t.csv', `id,smiles,title\na,C,${shift}${title}\n`);
      expect(problems).toEqual([]);
      expect(items[0]?.title).toBe(shift + title);
    }
  });

  test.each(['.json', '.jsonl', '.csv'])(
    'a CRLF that lies across two chunks is one line break (%s)',
    async (extension) => {
      // Files are read in chunks of 64 KiB: the CR is the last byte of the first.
      const start = { '.json': '[ ', '.jsonl': ' ', '.csv': 'id,smiles,' }[extension] ?? '';
      const row = extension === '.csv' ? 'b,C,' : '{"id":"b","smiles":"C"}';
      const padding = (extension === '.csv' ? 'x' : ' ').repeat(64 * 1024 - 1 - start.length);
      const end = extension === '.json' ? ']' : '';
      const bad = Buffer.concat([
        Buffer.from(`${start}${padding}\r\n${row}\r\n`),
        Buffer.from([0xe9]),
      ]);
      const reading = await read(`t${extension}`, `${start}${padding}\r\n${row}${end}`);
      expect(reading.items.map(({ id, source }) => [id, source.line])).toEqual([['b', 2]]);
      const { problems } = await read(`t${extension}`, bad);
      const found = problems.find(({ code }) => code === 'MANIFEST_NOT_UTF8');
      expect(found?.line).toBe(3);
    },
  );

  test('UTF-16, the "Unicode text" of spreadsheets, is named', async () => {
    const { problems } = await read('t.csv', Buffer.from('\uFEFFid,smiles\na,C\n', 'utf16le'));
    expect(problems[0]?.message).toContain('UTF-16');
  });

  test('the rest of the file is checked all the same', async () => {
    const { problems } = await read('t.csv', Buffer.from('id,smiles\n\xe9,C\na,C.C\n', 'latin1'));
    expect(problems.map(({ code }) => code)).toEqual([
      'MANIFEST_NOT_UTF8',
      'MANIFEST_ID_INVALID',
      'SMILES_SEVERAL_COMPONENTS',
    ]);
  });
});
