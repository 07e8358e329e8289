/**
 * Random rows of a manifest, of every kind, that the synthetic engine accepts. Some request a sequence that another one
 * requests as well; no other two have the same input.
 */
import { PREDICTORS } from '../../src/kinds/vocabulary.ts';
import { PLUGINS, type PluginName } from './plugin-service.ts';
import type { Random } from './random.ts';

export interface Row {
  readonly id: string;
  readonly [field: string]: string;
}

interface Rows {
  readonly rows: readonly Row[];
  /** Text of the files that rows name, by path. */
  readonly files: Readonly<Record<string, string>>;
}

const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY'.split('');
const THREE_LETTERS = ['ALA', 'GLY', 'LYS', 'LEU', 'SER', 'VAL', 'TYR', 'GLU'] as const;
const KIND_WEIGHTS = {
  molecule: 3,
  sequence: 5,
  alignment: 1,
  shifts: 1,
};

/** Ids begin with `prefix`, so that two campaigns share none and a job's name shows its campaign. */
export function randomRows(
  random: Random,
  plugin: PluginName,
  prefix: string,
  count: number,
): Rows {
  const files: Record<string, string> = {};
  const sequences: string[] = [];
  const rows = Array.from({ length: count }, (_, n) => {
    const kind = random.weighted({ ...KIND_WEIGHTS, plugin: 4 });
    const id = `${prefix}${n}-${kind}`;
    switch (kind) {
      case 'molecule':
        return { id, kind, smiles: molecule(random, prefix, n) };
      case 'sequence':
        return { id, kind, sequence: again(random, sequences), predictors: predictors(random) };
      case 'plugin':
        return { id, kind: PLUGINS[plugin].kind, ...pluginInput(random, plugin, id) };
      case 'alignment':
        files[`inputs/${id}.fasta`] = alignment(random);
        return { id, kind, file: `inputs/${id}.fasta` };
      case 'shifts':
        files[`inputs/${id}.nef`] = shifts(random, id);
        return { id, kind, file: `inputs/${id}.nef`, model_class: String(random.int(1, 3)) };
    }
  });
  return { rows, files };
}

/** Cells of the kind of the plugin. */
function pluginInput(random: Random, plugin: PluginName, id: string): Record<string, string> {
  if (plugin === 'translate')
    return { dna: Array.from({ length: 30 }, () => random.pick(['A', 'C', 'G', 'T'])).join('') };
  const ids = Array.from(
    { length: random.int(1, 60) },
    (_, n) => `${random.pick(['P', 'NO'])}${id}-${n}`,
  );
  return { ids: ids.join(','), to_db: random.pick(['PDB', 'GeneID']) };
}

/** An alkane with another end for each campaign; the number of carbons distinguishes the rows. */
function molecule(random: Random, prefix: string, n: number): string {
  return 'C'.repeat(n + 1) + (prefix < 'b' ? 'O' : 'N') + (random.chance(0.3) ? 'C' : '');
}

/** One of the previous ones, or a new one. */
function again(random: Random, sequences: string[]): string {
  if (sequences.length > 0 && random.chance(0.25)) return random.pick(sequences);
  const made = sequence(random, 8);
  sequences.push(made);
  return made;
}

function sequence(random: Random, length: number): string {
  return 'MKTAY' + Array.from({ length }, () => random.pick(RESIDUES)).join('');
}

function predictors(random: Random): string {
  // psper accepts no sequence below 20 residues.
  return PREDICTORS.filter((name) => name !== 'psper' && random.chance(0.5)).join(',');
}

function alignment(random: Random): string {
  const length = random.int(6, 12);
  const records = Array.from({ length: random.int(2, 4) }, (_, n) => {
    const gap = random.chance(0.5) ? '-' : 'A';
    return `>row${n}\n${sequence(random, length)}${gap}\n`;
  });
  return records.join('');
}

/** Every atom that ShiftCrypt requires of one of these residues, in any model. */
const ATOMS = 'N H CA C CB HA HA2 HA3 HB2 HD11 HD21 HG11 HG22'.split(' ');

function shifts(random: Random, name: string): string {
  const residues = Array.from({ length: random.int(6, 12) }, () => random.pick(THREE_LETTERS));
  const frame = (category: string, loop: string, tags: readonly string[], lines: string[]) =>
    [
      `save_${category}`,
      `_${category}.sf_category ${category}`,
      ...['loop_', ...tags.map((tag) => `_${loop}.${tag}`), ...lines, 'stop_', 'save_'],
    ].join('\n');
  const place = ['chain_code', 'sequence_code', 'residue_name'];
  return [
    `data_${name}`,
    frame(
      'nef_molecular_system',
      'nef_sequence',
      ['index', ...place],
      residues.map((residue, n) => `${n + 1} A ${n + 1} ${residue}`),
    ),
    frame(
      'nef_chemical_shift_list',
      'nef_chemical_shift',
      [...place, 'atom_name', 'value'],
      residues.flatMap((r, n) => {
        const value = (50 + 10 * random.next()).toFixed(2);
        return ATOMS.map((atom) => `A ${n + 1} ${r} ${atom} ${value}`);
      }),
    ),
    '',
  ].join('\n');
}
