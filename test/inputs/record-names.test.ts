/** The predicted ids are those of the results: checked against recorded results of the real engine. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { nameRecords } from '../../src/inputs/sequences/record-names.ts';
import { readFasta } from '../../src/inputs/sequences/fasta.ts';

const PROJECT = path.join(import.meta.dirname, '..', '..');
const DATA = path.join(PROJECT, '..', 'shared', 'data');

interface Result {
  readonly proteins: Readonly<Record<string, unknown>>;
}

function idsOf(result: string): string[] {
  const bytes = readFileSync(result);
  const text = (result.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return Object.keys((JSON.parse(text) as Result).proteins);
}

/** Headers of an edge case, as submitted. */
const AWKWARD = [
  ['sp|P12345|TEST_ONE with spaces. and dots.v2', 'sp_P12345_TEST_ONE_with_spaces_and_dotsv2'],
  ['a,b;c:d=e', 'a_b;c:d=e'],
  ['tab\there', 'tab_here'],
  [`quote'"s`, `quote'"s`],
  ['=cmd()', '=cmd()'],
  ['same_first_word A', 'same_first_word_A'],
] as const;

describe('sequences', () => {
  test.each(AWKWARD)('%j is returned as %j', (header, id) => {
    expect(nameRecords([{ header }], 'sequence').ids).toEqual([id]);
    const recordings = path.join(PROJECT, 'src', 'local-services', 'recordings', 'b2btools');
    expect(idsOf(path.join(recordings, 'edge', 'awkward_headers-dynamine.json.gz'))).toContain(id);
  });

  test('of the demo are returned under the predicted ids', () => {
    const files = ['FER_PEPAS', 'CYC_PANTR', 'RBS_GUITH'];
    for (const name of files) {
      const fasta = readFileSync(path.join(PROJECT, 'batches/demo/files', `${name}.fasta`), 'utf8');
      const [result = ''] = globSync(
        path.join(
          PROJECT,
          'src/local-services/recordings/b2btools/single',
          `one-${name}-*.json.gz`,
        ),
      );
      expect(nameRecords(readFasta(fasta).records, 'sequence').ids, name).toEqual(idsOf(result));
    }
  });
});

/** The runs of a folder of results with the submitted text, if that was kept. */
function runs(owner: string, sort: 'single' | 'edge' | 'msa') {
  const inputs = sort === 'msa' ? 'alignments' : 'sequences';
  return globSync(`golden/b2btools/${sort}/*.json{,.gz}`, { cwd: path.join(DATA, owner) })
    .filter((result) => !result.includes('distributions'))
    .flatMap((result) => {
      const name = path
        .basename(result)
        .replace(/^(one|malformed)[-_]/, '')
        .replace(/^subset/, 'golden_subset')
        .replace(/-[^-]*$/, '');
      const [input] = globSync(`${inputs}/**/${name}.fasta`, { cwd: path.join(DATA, owner) });
      if (input === undefined) return [];
      const { records } = readFasta(readFileSync(path.join(DATA, owner, input), 'utf8'));
      return [{ result, records, ids: idsOf(path.join(DATA, owner, result)) }];
    });
}

describe.each(['own', 'public'])('%s', (owner) => {
  const absent = !existsSync(path.join(DATA, owner));

  test.skipIf(absent).each(['single', 'edge', 'msa'] as const)(
    'results of %s have the predicted ids',
    (sort) => {
      const kind = sort === 'msa' ? 'alignment' : 'sequence';
      let certain = 0;
      for (const { result, records, ids } of runs(owner, sort)) {
        const named = nameRecords(records, kind);
        if (named.renamed) continue;
        certain += 1;
        expect([...named.ids].sort(), result).toEqual([...ids].sort());
      }
      expect(certain).toBeGreaterThan(owner === 'own' || sort !== 'single' ? 5 : -1);
    },
  );
});
