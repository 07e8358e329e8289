/** Every successful job of the real engines, with its input: our own recordings and public ones beside the project. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { PREDICTORS, type InputText, type Options } from '../../src/domain/item.ts';
import type { PredictionFiles } from '../../src/services/predictions/check-files.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');

export const isPresent = (owner: string): boolean => existsSync(join(DATA, owner));

interface Golden {
  readonly key: string;
  readonly input: InputText;
  readonly options: Options;
  readonly result: string;
}

export interface GoldenMolecule extends Golden {
  readonly results: Readonly<Record<string, string>>;
}

export interface GoldenPrediction extends Golden {
  readonly files: PredictionFiles;
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
  readonly results: Readonly<Record<string, string>>;
}

/** Of a finished job, with these files. */
export function recordOf(results: Readonly<Record<string, string>>): string {
  return JSON.stringify({ results: [results] });
}

export function goldenMolecules(owner: string): GoldenMolecule[] {
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
        result: recordOf(job.results),
        results: job.results,
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

/** Runs of a single protein were made from a file with many. */
function oneOfMany(owner: string, name: string): string | null {
  const all = read(join(DATA, owner, 'sequences/proteins.fasta'))?.split(/^(?=>)/m) ?? [];
  const word = (record: string): string => record.slice(1).split(/\s/)[0] ?? '';
  return (
    all.find((record) => word(record).replace(/[|.]/g, '_').replace(/_$/, '') === name) ?? null
  );
}

export function goldenPredictions(owner: string): GoldenPrediction[] {
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
    const files = { result, ...downloads(join(DATA, owner, 'golden/b2btools', key)) };
    const options = optionsOf(kind, command);
    return [{ key, input: { name: file, text }, options, result, files }];
  });
}

/** The additional files of the service. Older runs of the engine kept fewer. */
function downloads(path: string): Omit<PredictionFiles, 'result'> {
  const texts = Object.entries(ENDINGS).map(([name, ending]) => [name, read(path + ending)]);
  return Object.fromEntries(texts.filter(([, text]) => text !== null)) as PredictionFiles;
}

const ENDINGS = {
  csv: '.csv',
  metadata: '.metadata.csv',
  distributions: '.distributions.json',
};

function optionsOf(kind: string, command: string): Options {
  const predictors = PREDICTORS.filter((name) => command.includes(`--${name}`));
  if (kind === 'sequences') return { kind: 'sequence', predictors };
  if (kind === 'alignments') return { kind: 'alignment' };
  return { kind: 'shifts', modelClass: '1', originalNumbering: true };
}
