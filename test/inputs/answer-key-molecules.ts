/**
 * The checks of molecules against inputs whose outcome in the real engine is known: the golden runs of the sample data.
 * A run in the key has the outcome `ok`, `failed` or `wrong`: a success of the engine with a wrong result.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { AtomType, ChargeMethod, MoleculeOptions } from '../../src/domain/item.ts';
import type { Chemist } from '../../src/inputs/molecules/chemist.ts';
import {
  MOLECULE_EXTENSIONS,
  readSmilesInput,
  readStructureInput,
} from '../../src/inputs/molecules/molecule.ts';
import { severityOf } from '../../src/manifest/problems/problems.ts';

interface MoleculeCase {
  /** Of the golden run. */
  readonly key: string;
  readonly outcome: 'ok' | 'failed' | 'wrong';
  /** Codes of severity `error`; empty if the row would be submitted. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Successes of the engine that are wrong, according to the sample data (see their README). */
const WRONG: readonly RegExp[] = [
  /^file-edge_no_hydrogens-gas/,
  /^smi-two_parts-gas/,
  /^smi-wrong_charge3-gas/,
  /^smi-silane-/,
  // Over the limit of the service; the engine itself has none.
  /^file-edge_peg30-/,
];

type Row = Record<string, string>;

/** `data` contains `own/` or `public/`; a missing folder adds no case. */
export async function moleculeCases(folder: string, chemist: Chemist): Promise<MoleculeCase[]> {
  const index = path.join(folder, 'golden', 'acpype', 'INDEX.csv');
  if (!existsSync(index)) return [];
  const smiles = new Map(
    table(path.join(folder, 'molecules', 'molecules.csv')).map((row) => [
      row['name'] ?? row['id'],
      row['smiles'],
    ]),
  );
  // `bbc` is refused before its molecule is checked.
  const runs = table(index).filter((run) => run['charge_method'] !== 'bbc');
  return Promise.all(runs.map((run) => judge(run, folder, smiles, chemist)));
}

async function judge(
  run: Row,
  folder: string,
  named: ReadonlyMap<string | undefined, string | undefined>,
  chemist: Chemist,
): Promise<MoleculeCase> {
  const { key = '', input = '', ok } = run;
  const found = key.startsWith('smi-')
    ? await smilesCodes(named.get(input) ?? input.slice(input.indexOf('=') + 1), run, chemist)
    : await fileCodes(path.join(folder, 'molecules', input), run, chemist);
  const outcome = ok !== 'True' ? 'failed' : WRONG.some((one) => one.test(key)) ? 'wrong' : 'ok';
  return {
    key,
    outcome,
    errors: found.filter((code) => severityOf(code) === 'error'),
    warnings: found.filter((code) => severityOf(code) === 'warning'),
  };
}

async function smilesCodes(smiles: string, run: Row, chemist: Chemist) {
  const { findings } = await readSmilesInput(smiles.trim(), optionsOf(run), chemist);
  return findings.map(({ code }) => code);
}

async function fileCodes(file: string, run: Row, chemist: Chemist) {
  const bytes = readFileSync(file);
  if (bytes.length === 0) return ['MANIFEST_FILE_EMPTY'] as const;
  const extension = MOLECULE_EXTENSIONS.find((one) => file.endsWith(one));
  if (extension === undefined) return ['MANIFEST_FILE_TYPE'] as const;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return ['MANIFEST_FILE_NOT_UTF8'] as const;
  }
  const { findings } = await readStructureInput(text, extension, optionsOf(run), chemist);
  return findings.map(({ code }) => code);
}

function optionsOf(run: Row): MoleculeOptions {
  const netCharge = run['net_charge'];
  return {
    kind: 'molecule',
    chargeMethod: run['charge_method'] as ChargeMethod,
    netCharge: netCharge === undefined || netCharge === '-' ? null : Number(netCharge),
    atomType: run['atom_type'] as AtomType,
  };
}

function table(file: string): Row[] {
  return parse(readFileSync(file), { columns: true, trim: false });
}

/** One line per outcome: the number of such runs, and how many of them the checks refuse. */
export function confusionTable(cases: readonly MoleculeCase[]): string {
  const lines = (['ok', 'wrong', 'failed'] as const).map((outcome) => {
    const these = cases.filter((one) => one.outcome === outcome);
    const refused = these.filter(({ errors }) => errors.length > 0).length;
    return `${outcome.padEnd(8)}${String(these.length).padStart(6)}${String(refused).padStart(9)}${String(these.length - refused).padStart(8)}`;
  });
  return ['engine    runs  refused  passed', ...lines].join('\n');
}
