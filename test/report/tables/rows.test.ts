/** The rows of the tables, for results of the real engines. */
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { publishCampaign } from '../../../src/report/publish.ts';
import { recordingText } from '../../services/recordings.ts';
import { END } from '../a-campaign.ts';
import {
  alignmentEnd,
  moleculeEnd,
  resultCampaign,
  sequenceEnd,
  shiftsEnd,
  type Ended,
} from './result-campaign.ts';

async function rowsOf(
  table: string,
  ...ended: readonly Ended[]
): Promise<Record<string, string>[]> {
  const store = await resultCampaign(ended);
  await publishCampaign(store, END);
  return parse((await store.readText(`tables/${table}.csv`)) ?? '', { columns: true });
}

describe('molecules', () => {
  test('have one row each, with the most important values for a chemist', async () => {
    const rows = await rowsOf(
      'molecules',
      moleculeEnd('aspirin', 'smi-aspirin-bcc-0-gaff2'),
      moleculeEnd('choline', 'smi-choline-bcc-1-gaff2'),
      moleculeEnd('found', 'smi-chlorobenzene-bcc-auto-gaff2'),
    );
    expect(rows[0]).toEqual({
      id: 'aspirin',
      name: 'aspirin',
      formula: 'C9H8O4',
      net_charge: '0',
      charge_method: 'bcc',
      force_field: 'gaff2',
      atoms: '21',
      atom_type_count: '9',
      atom_types: 'c c3 ca ha hc ho o oh os',
      total_charge: rows[0]?.['total_charge'],
      // AC.frcmod: 49.6 + 6 + 48.9; two default values have no penalty.
      estimated_parameters: '5',
      penalised_parameters: '3',
      penalty_sum: '104.5',
      penalty_max: '49.6',
      attn_flags: '0',
      engine: '',
      engine_version: '',
      molecular_mass: '180.154',
      rotatable_bonds: '3',
      dipole_moment: rows[0]?.['dipole_moment'],
    });
    expect(Math.abs(Number(rows[0]?.['total_charge']))).toBeLessThan(1e-5);
    expect(rows[1]).toMatchObject({
      formula: 'C5H14NO',
      net_charge: '1',
      penalty_sum: '0',
      penalty_max: '',
    });
    expect(rows[2]).toMatchObject({ formula: 'C6H5Cl', net_charge: '0', penalty_sum: '6' });
  });
});

describe('residues', () => {
  const result = {
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

  test('are labelled by the thresholds, also at their exact values', async () => {
    const input = { name: 'input.fasta', text: '>a|b\nMKLXCG\n', names: { a_b: 'a|b' } };
    const rows = await rowsOf('residues', sequenceEnd('p', JSON.stringify(result), { input }));
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
  });

  test('have the numbers of the service, digit by digit', async () => {
    const text = recordingText('b2btools/edge/len_20-all5');
    const rows = await rowsOf('residues', sequenceEnd('p', text));
    const { proteins } = JSON.parse(text) as { proteins: Record<string, Record<string, number[]>> };
    const [protein = {}] = Object.values(proteins);
    for (const key of ['backbone', 'helix', 'agmata', 'disoMine', 'complexity']) {
      expect(rows.map((row) => row[key])).toEqual(protein[key]?.map(String));
    }
  });
});

describe('alignments', () => {
  test('have one row per column, with the figures of the service and the number of gaps', async () => {
    const rows = await rowsOf('alignments', alignmentEnd('globins', 'globins6-all4'));
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

  test('have empty figures if there are no distributions', async () => {
    const { item, files } = alignmentEnd('globins', 'globins6-all4');
    const rows = await rowsOf('alignments', {
      item,
      files: { 'result.json': files['result.json'] ?? '' },
    });
    expect(rows).toHaveLength(154);
    expect(rows[1]).toMatchObject({ sequences: '6', backbone_median: '', agmata_topOutlier: '' });
  });
});

describe('shifts', () => {
  test('have the residue numbers of the service, and -10 is marked as missing', async () => {
    const rows = await rowsOf('shifts', shiftsEnd('talin', 'bmr15457_talin_nef-model1'));
    expect(rows).toHaveLength(174);
    expect(rows[1]).toEqual({
      id: 'talin',
      chain: 'A',
      residue_index: '1',
      residue_number: '1650',
      residue: 'I',
      shiftCrypt: '-10',
      missing: 'true',
      engine: '',
      engine_version: '',
    });
    expect(rows[2]).toMatchObject({ shiftCrypt: '0.694564967269671', missing: 'false' });
  });

  test('an invalid number is omitted, its row is not', async () => {
    const chain = {
      ID_file: 'x',
      sequence: ['M', 'K', 'L'],
      seqCodes: [7, '7A', 1e12],
      shiftCrypt: ['0.5', 'nan', '-10'],
      chainCode: 'B',
    };
    const { item } = shiftsEnd('x', 'bmr15457_talin_nef-model1');
    const rows = await rowsOf('shifts', {
      item,
      files: { 'result.json': JSON.stringify([chain]) },
    });
    expect(
      rows.map((row) => `${row['residue_number']}|${row['shiftCrypt']}|${row['missing']}`),
    ).toEqual([...['7|0.5|false', '||true', '|-10|true']]);
  });
});

describe('an unreadable result', () => {
  test('has no rows; other results have theirs', async () => {
    const rows = await rowsOf(
      'residues',
      sequenceEnd('bad', '{"of":"bad"}'),
      sequenceEnd('good', recordingText('b2btools/edge/len_5-dynamine')),
    );
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(['good']));
  });
});
