/** The column `remote_id`: a row whose job exists at the service. */
import { describe, expect, test } from 'vitest';
import { onlyItem, read } from './manifests.ts';

const JOB = '3f1c2a9e-5d0b-4c57-9a55-0d8f5f3c9b11';

describe('a row with a remote_id', () => {
  test('needs no input: a file with the id of the job replaces it', async () => {
    const item = await onlyItem('m.csv', `id,kind,remote_id,project\na,sequence,${JOB},x\n`);
    expect(item).toMatchObject({
      id: 'a',
      kind: 'sequence',
      user: { project: 'x' },
      adopts: { remoteId: JOB, inputKnown: false },
      input: { name: 'adopted.txt' },
    });
    expect(item.input.text).toContain(JOB);
  });

  test('may have its input and options, which are checked like those of other rows', async () => {
    const item = await onlyItem('m.csv', `sequence,predictors,remote_id\nMKTAYIAK,agmata,${JOB}\n`);
    expect(item).toMatchObject({
      adopts: { remoteId: JOB, inputKnown: true },
      options: { kind: 'sequence', predictors: ['agmata'] },
      input: { name: 'input.fasta' },
    });
    const { items, problems } = await read('m.csv', `kind,smiles,remote_id\nmolecule,C(C,${JOB}\n`);
    expect(items).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(['SMILES_SYNTAX']);
  });

  test('is an ordinary row if the cell is empty', async () => {
    const item = await onlyItem('m.csv', 'smiles,remote_id\nCCO,\n');
    expect(item).not.toHaveProperty('adopts');
    const { problems } = await read('m.csv', 'id,kind,remote_id\na,sequence,\n');
    expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_INPUT_MISSING']);
  });

  test.each(['../queue', 'a/b', '..', 'https://host/api/queue/x/', 'two words', 'x'.repeat(201)])(
    'is refused with the id %j, which would lead to another address',
    async (id) => {
      const { items, problems } = await read('m.csv', `id,kind,remote_id\na,molecule,${id}\n`);
      expect(items).toEqual([]);
      expect(problems).toMatchObject([{ code: 'MANIFEST_REMOTE_ID_INVALID', column: 'remote_id' }]);
    },
  );

  test('a table with remote_id as its only input column can be read', async () => {
    const { items, problems } = await read('m.csv', `id;kind;remote_id\na;molecule;ab12\n`);
    expect(problems).toEqual([]);
    expect(items.map(({ adopts }) => adopts?.remoteId)).toEqual(['ab12']);
  });
});
