/**
 * Every result of the real engines that they called good, against its own input: the right ones pass, and the ones
 * that field notes and recordings know as silently wrong are found, each with its code.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, test } from 'vitest';
import { PREDICTORS, type InputText, type Options } from '../../src/domain/item.ts';
import { compositionOf } from '../../src/inputs/molecules/composition.ts';
import { openChemist } from '../../src/inputs/molecules/rdkit.ts';
import { checkResult } from '../../src/services/check-result.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');

/** What the engine gets silently wrong, by the key of its golden result, in both collections. */
const WRONG: Readonly<Record<string, string>> = {
  // The engine ignored the charge.
  'smi-wrong_charge3-gas-1-gaff2': 'RESULT_WRONG_CHARGE',
  // Six atoms of benzene.
  'file-edge_no_hydrogens-gas-auto-gaff2': 'RESULT_WRONG_ATOMS',
  'smi-two_parts-gas-auto-gaff2': 'RESULT_WRONG_ATOMS',
  // Parameters of carbon for silicon.
  'smi-silane-bcc-auto-gaff2': 'RESULT_NEEDS_REVISION',
  // Records of which nothing was predicted; among awkward headers is one without a name, which is dropped.
  'edge/empty-dynamine': 'RESULT_EMPTY',
  'edge/len_1-dynamine': 'RESULT_EMPTY',
  'edge/len_4-dynamine': 'RESULT_EMPTY',
  'edge/awkward_headers-dynamine': 'RESULT_WRONG_SEQUENCE',
  'edge/nucleotides-dynamine': 'RESULT_WRONG_SEQUENCE',
  'msa/all_gap_row-dynamine': 'RESULT_EMPTY',
  'msa/one_sequence-dynamine': 'RESULT_WRONG_SEQUENCE',
  'msa/duplicate_ids-dynamine': 'RESULT_WRONG_SEQUENCE',
  'msa/unequal_length-dynamine': 'RESULT_WRONG_SEQUENCE',
  // Files without shifts: -10 for every residue.
  'shiftcrypt/no_shift_loop_nef-model1': 'RESULT_ALL_MISSING',
  'shiftcrypt/no_shift_loop_str-model1': 'RESULT_ALL_MISSING',
};

interface Golden {
  readonly key: string;
  readonly input: InputText;
  readonly options: Options;
  readonly result: string;
}

function read(path: string): string | null {
  if (existsSync(path)) return readFileSync(path, 'utf8');
  return existsSync(`${path}.gz`) ? gunzipSync(readFileSync(`${path}.gz`)).toString() : null;
}

function rows(owner: string, engine: string): Record<string, string>[] {
  const path = join(DATA, owner, 'golden', engine, 'INDEX.csv');
  return existsSync(path) ? parse(readFileSync(path), { columns: true }) : [];
}

interface RecordedMolecule {
  readonly smiles: string | null;
  readonly input_file: string | null;
  readonly charge_method: 'bcc' | 'gas';
  readonly net_charge: number | null;
  readonly atom_type: 'gaff2';
  readonly results: object;
}

function molecules(owner: string): Golden[] {
  return rows(owner, 'acpype').flatMap(({ key = '', ok }) => {
    const text = read(join(DATA, owner, 'golden/acpype', `${key}.json`));
    if (ok !== 'True' || text === null) return [];
    const job = JSON.parse(text) as RecordedMolecule;
    const name = `input${/\.\w+$/.exec(job.input_file ?? '.smi')?.[0] ?? ''}`;
    const given = job.smiles ?? read(join(DATA, owner, 'molecules', job.input_file ?? ''));
    if (given === null) throw new Error(`${key} has no input`);
    const options = {
      chargeMethod: job.charge_method,
      netCharge: job.net_charge,
      atomType: job.atom_type,
    };
    return [
      {
        key,
        input: { name, text: given },
        options: { kind: 'molecule', ...options },
        result: JSON.stringify({ results: [job.results] }),
      },
    ];
  });
}

const INPUT_FOLDERS = [
  'sequences',
  'sequences/single',
  'sequences/awkward',
  'alignments',
  'alignments/malformed',
  'shifts',
];

function inputOf(owner: string, kind: string, file: string): string | null {
  const folders = INPUT_FOLDERS.filter((folder) => folder.startsWith(kind));
  for (const folder of folders) {
    const text = read(join(DATA, owner, folder, file));
    if (text !== null) return text;
  }
  return oneOfMany(owner, file.replace(/\.fasta$/, ''));
}

/** Runs of a single protein were made from a file of many. */
function oneOfMany(owner: string, name: string): string | null {
  const all = read(join(DATA, owner, 'sequences/proteins.fasta'))?.split(/^(?=>)/m) ?? [];
  const word = (record: string): string => record.slice(1).split(/\s/)[0] ?? '';
  return (
    all.find((record) => word(record).replace(/[|.]/g, '_').replace(/_$/, '') === name) ?? null
  );
}

function predictions(owner: string): Golden[] {
  return rows(owner, 'b2btools').flatMap(({ key = '', command = '', exit_code: code }) => {
    const result = read(join(DATA, owner, 'golden/b2btools', `${key}.json`));
    if (code !== '0' || result === null) return [];
    const file = /-i (\S+)/.exec(command)?.[1] ?? '';
    const kind = command.startsWith('shiftcrypt')
      ? 'shifts'
      : command.includes('msa')
        ? 'alignments'
        : 'sequences';
    const text = inputOf(owner, kind, file);
    if (text === null) throw new Error(`${key} has no input ${file}`);
    return [{ key, input: { name: file, text }, options: optionsOf(kind, command), result }];
  });
}

function optionsOf(kind: string, command: string): Options {
  const predictors = PREDICTORS.filter((name) => command.includes(`--${name}`));
  if (kind === 'sequences') return { kind: 'sequence', predictors };
  if (kind === 'alignments') return { kind: 'alignment' };
  return { kind: 'shifts', modelClass: '1', originalNumbering: true };
}

const chemist = openChemist();
afterAll(() => chemist.close());

describe.each(['own', 'public'])('%s', (owner) => {
  const present = existsSync(join(DATA, owner));

  test.skipIf(!present)('molecules', async () => {
    const all = molecules(owner);
    expect(all.length).toBeGreaterThan(40);
    for (const { key, input, options, result } of all) {
      const composition = await compositionOf(input, chemist);
      expect(composition, key).not.toBeNull();
      const check = checkResult({ options, input }, result, composition);
      expect([key, check.ok ? undefined : check.code]).toEqual([
        key,
        WRONG[key.replace('malformed_', '')],
      ]);
    }
  });

  test.skipIf(!present)('predictions', () => {
    const all = predictions(owner);
    expect(all.length).toBeGreaterThan(40);
    for (const { key, input, options, result } of all) {
      const check = checkResult({ options, input }, result);
      expect([key, check.ok ? undefined : check.code]).toEqual([
        key,
        WRONG[key.replace('malformed_', '')],
      ]);
    }
  });
});
