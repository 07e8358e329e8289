/** The rows of the tables, for results of the real engines, in one campaign. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { publishCampaign } from '../../../src/report/publish.ts';
import { recordingText } from '../../services/recordings.ts';
import { END } from '../a-campaign.ts';
import {
  alignmentEnd,
  moleculeEnd,
  resultCampaign,
  sequenceEnd,
  shiftsEnd,
} from './result-campaign.ts';

const MADE = {
  proteins: {
    a_b: {
      seq: ['M', 'K', 'L', 'X', 'C', 'G'],
      backbone: [1.01, 1.0, 0.8, 0.79, 0.69, 0.689],
      earlyFolding: [0.169, 0.1691, null, 0, 0, 0],
      disoMine: [0.5, 0.51, null, 0, 0, 0],
      viterbi: [' PLD', ' OTHER', ' RRM', '', '', ''],
      protein_score: 0.5611,
    },
    second: { seq: ['W'], agmata: [1.093474e-6] },
  },
};
const CHAIN = {
  ID_file: 'x',
  sequence: ['M', 'K', 'L'],
  seqCodes: [7, '7A', 1e12],
  shiftCrypt: ['0.5', 'nan', '-10'],
  chainCode: 'B',
};
const TALIN = 'bmr15457_talin_nef-model1';
const RECORDED = 'b2btools/edge/len_20-all5';

type Cells = Record<string, string>;

/** All tables; the tree is that of the first test. */
let tables: Promise<ReadonlyMap<string, readonly Cells[]>> | undefined;

async function publish(): Promise<ReadonlyMap<string, readonly Cells[]>> {
  const input = { name: 'input.fasta', text: '>a|b\nMKLXCG\n', names: { a_b: 'a|b' } };
  const store = await resultCampaign([
    moleculeEnd('aspirin', 'smi-aspirin-bcc-0-gaff2'),
    moleculeEnd('choline', 'smi-choline-bcc-1-gaff2'),
    sequenceEnd('unreadable', '{"of":"bad"}'),
    sequenceEnd('made', JSON.stringify(MADE), { input }),
    sequenceEnd('recorded', recordingText(RECORDED)),
    alignmentEnd('globins', 'globins6-all4'),
    shiftsEnd('talin', TALIN),
    { ...shiftsEnd('odd', TALIN), files: { 'result.json': JSON.stringify([CHAIN]) } },
  ]);
  await publishCampaign(store, END);
  const read = new Map<string, readonly Cells[]>();
  for (const name of ['molecules', 'residues', 'alignments', 'shifts']) {
    const text = (await store.readText(`tables/${name}.csv`)) ?? '';
    read.set(name, parse<Cells>(text, { columns: true }));
  }
  return read;
}

async function rowsOf(table: string, item: string): Promise<readonly Cells[]> {
  const rows = (await (tables ??= publish())).get(table) ?? [];
  return rows.filter(({ id }) => id === item);
}

test('a molecule has one row, with the most important values for a chemist', async () => {
  expect(await rowsOf('molecules', 'aspirin')).toMatchObject([
    {
      formula: 'C9H8O4',
      net_charge: '0',
      atoms: '21',
      atom_types: 'c c3 ca ha hc ho o oh os',
      // AC.frcmod: 49.6 + 6 + 48.9; two default values have no penalty.
      estimated_parameters: '5',
      penalised_parameters: '3',
      penalty_sum: '104.5',
      penalty_max: '49.6',
      attn_flags: '0',
      molecular_mass: '180.154',
    },
  ]);
  const choline = { formula: 'C5H14NO', net_charge: '1', penalty_sum: '0', penalty_max: '' };
  expect(await rowsOf('molecules', 'choline')).toMatchObject([choline]);
});

test('residues are labelled by the thresholds, also at their exact values; an unreadable result has none', async () => {
  const rows = await rowsOf('residues', 'made');
  const columns = (...names: string[]) =>
    rows.map((row) => names.map((name) => row[name]).join(' '));
  expect(columns('sequence', 'residue_index', 'residue_number', 'residue')).toEqual([
    ...['a|b 0 1 M', 'a|b 1 2 K', 'a|b 2 3 L', 'a|b 3 4 X', 'a|b 4 5 C', 'a|b 5 6 G'],
    'second 0 1 W',
  ]);
  expect(columns('backbone', 'backbone_class')).toEqual([
    ...['1.01 membrane-spanning', '1 rigid', '0.8 rigid', '0.79 context-dependent'],
    ...['0.69 context-dependent', '0.689 flexible', ' '],
  ]);
  expect(columns('early_folding', 'disordered', 'viterbi').slice(0, 3)).toEqual([
    ...['false false PLD', 'true true OTHER', '  RRM'],
  ]);
  expect(columns('protein_score', 'phase_separating', 'agmata').slice(5)).toEqual([
    ...['0.5611 true ', '  0.000001093474'],
  ]);
  expect(await rowsOf('residues', 'unreadable')).toEqual([]);
});

test('residues have the numbers of the service, digit by digit', async () => {
  const rows = await rowsOf('residues', 'recorded');
  const { proteins } = JSON.parse(recordingText(RECORDED)) as {
    proteins: Record<string, Record<string, number[]>>;
  };
  const [protein = {}] = Object.values(proteins);
  for (const key of ['backbone', 'helix', 'agmata', 'disoMine', 'complexity']) {
    expect(rows.map((row) => row[key])).toEqual(protein[key]?.map(String));
  }
});

test('an alignment has one row per column, with the figures of the service and the number of gaps', async () => {
  const rows = await rowsOf('alignments', 'globins');
  const { results } = JSON.parse(recordingText('b2btools/msa/globins6-all4.distributions')) as {
    results: Record<string, Record<string, number[]>>;
  };
  expect(rows).toHaveLength(154);
  for (const [key, figures] of Object.entries(results)) {
    for (const [name, values] of Object.entries(figures)) {
      expect(rows.map((row) => row[`${key}_${name}`])).toEqual(values.map(String));
    }
  }
  const { sequences } = JSON.parse(recordingText('b2btools/msa/globins6-all4')) as {
    sequences: Record<string, string[]>;
  };
  const all = Object.values(sequences);
  expect(rows.map(({ sequences: of, gaps }) => `${gaps}/${of}`)).toEqual(
    rows.map((_, n) => `${all.filter((one) => one[n] === '-').length}/${all.length}`),
  );
  expect(rows[3]).toMatchObject({ column_index: '3', column_number: '4' });
});

test('shifts have the residue numbers of the service; -10 is marked as missing, and an invalid number is omitted', async () => {
  const shown = (rows: readonly Cells[]) =>
    rows.map((row) =>
      ['chain', 'residue_number', 'residue', 'shiftCrypt', 'missing']
        .map((one) => row[one])
        .join(' '),
    );
  const talin = shown(await rowsOf('shifts', 'talin'));
  expect(talin).toHaveLength(174);
  expect(talin.slice(1, 3)).toEqual(['A 1650 I -10 true', 'A 1651 D 0.694564967269671 false']);
  expect(shown(await rowsOf('shifts', 'odd'))).toEqual([
    ...['B 7 M 0.5 false', 'B  K  true', 'B  L -10 true'],
  ]);
});
