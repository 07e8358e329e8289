/** Rows of the table as text for other programs. Pure. */
import { guarded, REASON_COLUMNS } from '../../../src/domain/formula-guard.ts';
import type { ItemDetail, ItemTable } from '../../../src/report/page-data.ts';
import type { Column } from '../items/columns.ts';

/** RFC 4180 with LF line ends, guarded like our tables. */
export function csvText(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
}

function csvCell(text: string): string {
  const cell = guarded(text);
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Only columns with a value in one of the rows; unformatted numbers, in their unit. */
export function tableText(columns: readonly Column[], rows: readonly number[]): string {
  const filled = columns.filter((column) => rows.some((row) => column.valueAt(row) !== null));
  const head = filled.map(({ key, group, title }) => (group === 'own' ? title : key));
  const lines = rows.map((row) => filled.map((column) => String(column.valueAt(row) ?? '')));
  return csvText([head, ...lines]);
}

/** The folder of an item, relative to the report; '' for a refused row. */
export function folderOf({ facts }: ItemDetail): string {
  return facts?.folder ?? '';
}

const FIRST = ['id', 'kind', 'file'];

/**
 * A manifest that runs the rows again: to be saved next to the report, because input paths are relative to it. Its last
 * two columns, which are empty, mark the cells as guarded, as in failed.csv.
 */
export function manifestText(details: readonly ItemDetail[]): string {
  const manifests = details.flatMap(({ facts }) => (facts === null ? [] : [facts.manifest]));
  const names = new Set(manifests.flatMap((cells) => Object.keys(cells)));
  for (const name of [...FIRST, ...REASON_COLUMNS]) names.delete(name);
  const head = [...FIRST, ...names, ...REASON_COLUMNS];
  return csvText([head, ...manifests.map((cells) => head.map((name) => cells[name] ?? ''))]);
}

/** For pasting into other programs: SMILES followed by the id, and sequences as FASTA. */
export function structureText(
  table: ItemTable,
  items: readonly { readonly row: number; readonly detail: ItemDetail }[],
): string {
  return items
    .map(({ row, detail: { formula, result } }) => {
      const id = table.id[row] ?? '';
      if (formula?.smiles) return `${formula.smiles}\t${id}\n`;
      if (result?.shape === 'proteins' || result?.shape === 'aligned') {
        return result.proteins.map(({ name, residues }) => `>${name}\n${residues}\n`).join('');
      }
      if (result?.shape === 'chains') {
        return result.chains
          .map(({ chain, residues }) => `>${id} ${chain ?? ''}\n${residues}\n`)
          .join('');
      }
      return '';
    })
    .join('');
}
