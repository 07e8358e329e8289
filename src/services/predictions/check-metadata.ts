/**
 * Checks that the metadata of a prediction belong to it. The contract does not show their content (4.6); the engine
 * writes one row per sequence: `sequence_id,length,aligned_length,protein_score,backbone_mean,…`.
 */
import type { PayloadEntry } from '../../results/payload.ts';
import { readCsvTable } from '../../results/result-csv.ts';
import { firstDisagreement, isNear } from './near.ts';

type Row = Readonly<Record<string, string>>;

/** @returns what contradicts the result, in a sentence; null if they agree or the file has an unknown form */
export function metadataDisagreement(
  text: string,
  entries: readonly PayloadEntry[],
): string | null {
  if (/^\s*[[{<]/.test(text)) return null;
  const rows = readCsvTable(text).filter((row) => 'sequence_id' in row && 'length' in row);
  if (rows.length === 0) return null;
  if (rows.length !== entries.length) {
    return `The metadata are of ${rows.length} sequences, result.json has ${entries.length}.`;
  }
  return firstDisagreement(rows, entries, {
    isNamed: (row, { id }) => row['sequence_id'] === id.trim(),
    compare: rowDisagreement,
    lonely: (row) => `The metadata are of "${row['sequence_id'] ?? ''}", result.json is not.`,
  });
}

function rowDisagreement(row: Row, { id, sequence, values }: PayloadEntry): string | null {
  const all = sequence.length || (Object.values(values)[0]?.length ?? 0);
  const lengths = [all, sequence === '' ? all : sequence.replaceAll(/[-.]/g, '').length];
  const length = Number(row['length']);
  if (Number.isInteger(length) && !lengths.includes(length)) {
    return `The metadata give "${id}" ${length} residues, result.json has ${lengths.at(-1)}.`;
  }
  for (const [key, list] of Object.entries(values)) {
    const mean = row[`${key}_mean`] ?? '';
    const numbers = list.filter((value) => typeof value === 'number');
    if (mean === '' || numbers.length === 0) continue;
    const expected = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    if (isNear(Number(mean), expected)) continue;
    return `The metadata give "${id}" a mean of ${mean} for ${key}, in result.json it is ${expected.toFixed(3)}.`;
  }
  return null;
}
