/**
 * What the checks say of sequences, alignments and shift files, compared with recordings of the real engine: the
 * project's own, and those of the sample data, which are skipped if they are missing.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { nameRecords, readFasta } from '../../../src/kinds/protein/fasta.ts';
import { readShiftTable } from '../../../src/kinds/protein/shift-files.ts';
import { canPredict } from '../../../src/kinds/protein/shifts-input.ts';
import { readStar } from '../../../src/kinds/protein/star.ts';
import { readPayload } from '../../../src/kinds/protein/payload.ts';
import { readManifests } from '../../manifest/manifests.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import type { ModelClass } from '../../../src/kinds/vocabulary.ts';

const PROJECT = path.join(import.meta.dirname, '..', '..', '..');
const RECORDINGS = path.join(PROJECT, 'packages/local-services/recordings/b2btools');
const DATA = path.join(PROJECT, '..', 'shared', 'data');

function textOf(result: string): string {
  const bytes = readFileSync(result);
  return (result.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

function idsOf(result: string): string[] {
  return Object.keys((JSON.parse(textOf(result)) as { readonly proteins: object }).proteins);
}

/** Headers of an edge case, as submitted. */
test.each([
  ['sp|P12345|TEST_ONE with spaces. and dots.v2', 'sp_P12345_TEST_ONE_with_spaces_and_dotsv2'],
  ['a,b;c:d=e', 'a_b;c:d=e'],
  ['tab\there', 'tab_here'],
  [`quote'"s`, `quote'"s`],
  ['=cmd()', '=cmd()'],
  ['same_first_word A', 'same_first_word_A'],
])('the record %j is returned as %j', (header, id) => {
  expect(nameRecords([{ header }], 'sequence').ids).toEqual([id]);
  expect(idsOf(path.join(RECORDINGS, 'edge/awkward_headers-dynamine.json.gz'))).toContain(id);
});

/** A value or -10 for each residue of a recorded result is predicted from the atoms in the file. */
function expectValues(file: string, model: string, result: string): void {
  const { residues = [] } = readShiftTable(readStar(readFileSync(file, 'utf8'))) ?? {};
  const chains = JSON.parse(textOf(result)) as { readonly shiftCrypt: readonly string[] }[];
  expect(
    residues.map(({ name, atoms }) => canPredict(model as ModelClass, name, atoms)),
    result,
  ).toEqual(chains.flatMap(({ shiftCrypt }) => shiftCrypt.map((value) => Number(value) !== -10)));
}

test.each(globSync('shiftcrypt/bmr*-model*.json.gz', { cwd: RECORDINGS }))(
  'the residues with a value in %s are predicted',
  (name) => {
    const [, entry = '', type = '', model = ''] = /(bmr.*)_(nef|str)-model(\d)/.exec(name) ?? [];
    const file = path.join(PROJECT, 'batches/demo/files', `${entry}.${type}`);
    expectValues(file, model, path.join(RECORDINGS, name));
  },
);

/** Wrong for reasons that the result does not show. */
const KNOWN_WRONG = /nucleotides|all_x|duplicate_ids|one_sequence|unequal_length/;

/** Wrong or failing as given, and right in the form that is sent, by the end of their names. */
const CORRECTED = [
  // A record without a name, and three with one.
  /edge\/awkward_headers-/,
  // A byte order mark, and a sequence without a header.
  /edge\/bom-/,
  /edge\/no_header-/,
  /edge\/stop_at_end-/,
  /msa\/(malformed_)?dot_gaps-/,
  /msa\/(malformed_)?duplicate_ids-/,
];

interface Run {
  /** In the sample data's golden/b2btools/INDEX.csv. */
  readonly run: string;
  readonly file: string;
  readonly row: Readonly<Record<string, string>>;
  readonly exitCode: string;
  /** The recorded result, compressed or not. */
  readonly result: string | undefined;
}

function readRuns(owner: string): Run[] {
  const golden = path.join(DATA, owner, 'golden', 'b2btools');
  const index: Record<string, string>[] = parse(readFileSync(path.join(golden, 'INDEX.csv')), {
    columns: true,
  });
  return index.flatMap(({ key: run = '', command = '', exit_code: exitCode = '' }) => {
    const folder = /^(msa|shift)/.exec(run)?.[0] ?? '';
    const inputs = { msa: 'alignments', shift: 'shifts' }[folder] ?? 'sequences';
    const pattern = `${inputs}/**/${/-i (\S+)/.exec(command)?.[1] ?? ''}`;
    const [name] = globSync(pattern, { cwd: path.join(DATA, owner) });
    const [result] = globSync(path.join(golden, `${run}.json{,.gz}`));
    const isKept = exitCode !== '0' || result !== undefined;
    // Some inputs of the public runs were single records of a longer file, one result was not kept, and an unknown
    // predictor is checked with the row.
    if (name === undefined || !isKept || command.includes('--nosuch')) return [];
    const row = rowOf(folder, command);
    return [{ run, file: path.join(DATA, owner, name), row, exitCode, result }];
  });
}

function rowOf(folder: string, command: string): Record<string, string> {
  if (folder === 'shift') {
    return {
      kind: 'shifts',
      model_class: /-m (\d)/.exec(command)?.[1] ?? '2',
      original_numbering: String(!command.includes('--no_original_numbering')),
    };
  }
  if (folder === 'msa') return { kind: 'alignment' };
  const names = ['dynamine', 'disomine', 'efoldmine', 'agmata', 'psper'];
  // The command line always runs dynamine.
  const asked = names.filter((name) => name === 'dynamine' || command.includes(`--${name}`));
  return { kind: 'sequence', predictors: asked.join(',') };
}

/** Whether the result belongs to the input that the user meant. */
function isRight({ run, exitCode, result }: Run, given: string): boolean {
  if (exitCode !== '0' || result === undefined || KNOWN_WRONG.test(run)) return false;
  const payload = readPayload(textOf(result));
  if (!payload.ok) return false;
  const isValue = (value: unknown) => value !== null && value !== -10;
  const isValued = payload.entries.every(({ tracks }) =>
    Object.entries(tracks).some(([key, list]) => key !== 'seqCodes' && list.some(isValue)),
  );
  if (!isValued || run.startsWith('shiftcrypt/')) return isValued;
  const sent = readFasta(given).records.map(({ residues }) => residues.toUpperCase());
  const read = payload.entries.map(({ residues }) => residues);
  return (
    sent.length === read.length &&
    sent.every((residues) => (run.startsWith('msa/') ? /^[A-Z-]*$/ : /^[A-Z]*$/).test(residues)) &&
    sent.every((residues) => read.includes(residues.replace(/[BJOUZ]/g, 'X')))
  );
}

describe.each(['own', 'public'])('%s', (owner) => {
  const absent = !existsSync(path.join(DATA, owner));

  test.skipIf(absent)('results have the predicted ids and values', () => {
    let certain = 0;
    for (const { run, file, row, result } of readRuns(owner)) {
      if (result === undefined) continue;
      if (run.startsWith('shiftcrypt/')) expectValues(file, row['model_class'] ?? '', result);
      if (!/^(single|edge|msa)/.test(run)) continue;
      const kind = run.startsWith('msa/') ? 'alignment' : 'sequence';
      const { ids, renamed } = nameRecords(readFasta(readFileSync(file, 'utf8')).records, kind);
      if (renamed) continue;
      certain += 1;
      expect([...ids].sort(), result).toEqual(idsOf(result).sort());
    }
    expect(certain).toBeGreaterThan(20);
  });

  // No input that fails or gives a wrong result is submitted unchanged, and none with a right result is refused.
  test.skipIf(absent)('the checks agree with the outcome of every run', async () => {
    const runs = readRuns(owner);
    const folder = await temporaryFolder();
    const rows = runs.map(({ row, file }, index) =>
      JSON.stringify({ id: `run-${String(index)}`, file: path.relative(folder, file), ...row }),
    );
    const manifest = path.join(folder, 'runs.jsonl');
    writeFileSync(manifest, rows.join('\n'));
    const { items } = await readManifests([manifest], { allowOutside: true });
    const counts = { right: 0, bad: 0 };
    for (const [index, run] of runs.entries()) {
      const given = readFileSync(run.file, 'utf8');
      const sent = items.find(({ id }) => id === `run-${String(index)}`)?.input.text;
      const right = isRight(run, given);
      counts[right ? 'right' : 'bad'] += 1;
      if (right) expect(sent, run.run).toBeDefined();
      else expect(sent, run.run).not.toBe(given);
      if (!right && sent !== undefined)
        expect(
          CORRECTED.some((one) => one.test(run.run)),
          run.run,
        ).toBe(true);
    }
    // Enough of each for a meaningful test.
    expect(counts.right).toBeGreaterThan(40);
    expect(counts.bad).toBeGreaterThan(20);
  });
});
