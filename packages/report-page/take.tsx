/** What the user can copy or save of the rows, for other programs. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ItemDetail, ItemTable, PageData } from '../../src/report/page-data.ts';
import type { Column } from './columns.ts';
import { readItemDetail } from './embedded.ts';

interface WithDetail {
  readonly row: number;
  readonly detail: ItemDetail;
}

export interface Way {
  readonly name: string;
  readonly title: string;
  /** Resolves with a message for the user. */
  readonly take: () => Promise<string>;
}

export function listDownloads(
  data: PageData,
  columns: readonly Column[],
  rows: readonly number[],
): readonly Way[] {
  const save = (ending: string, text: string): string => {
    saveFile(`${data.name}-${ending}`, text, 'text/csv');
    return `${data.name}-${ending} saved.`;
  };
  return [
    {
      name: 'Save as CSV',
      title: 'All columns that have a value',
      take: () => Promise.resolve(save('items.csv', formatTable(columns, rows))),
    },
    {
      name: 'Save as manifest',
      title: 'A manifest that runs these rows again; save it next to the report',
      take: async () => save('manifest.csv', formatManifest(await readDetails(data, rows))),
    },
    {
      name: 'Copy SMILES and sequences',
      title: 'SMILES followed by the id; sequences as FASTA',
      take: async () => copyText(formatStructures(data.table, await readDetails(data, rows))),
    },
  ];
}

async function readDetails(data: PageData, rows: readonly number[]): Promise<WithDetail[]> {
  const all: WithDetail[] = [];
  for (const row of rows) all.push({ row, detail: await readItemDetail(data.chunks, row) });
  return all;
}

/** The page creates the file itself: nothing is sent anywhere. */
export function saveFile(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @returns what happened, for the user */
async function copyText(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    return 'The browser does not let this page copy.';
  }
}

interface CopyProps {
  readonly name: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

/** A button that copies a text, and what came of it. */
export function CopyLine({ name, text, children }: CopyProps) {
  const [said, say] = useState('');
  return (
    <p class="line take">
      <button type="button" onClick={() => void copyText(text).then(say)}>
        {name}
      </button>
      {children}
      <span role="status" class="quiet">
        {said}
      </span>
    </p>
  );
}

/** Only columns with a value in one of the rows; unformatted numbers, in their unit. */
function formatTable(columns: readonly Column[], rows: readonly number[]): string {
  const filled = columns.filter((column) => rows.some((row) => column.valueAt(row) !== null));
  const head = filled.map(({ key, group, title }) => (group === 'own' ? title : key));
  const lines = rows.map((row) => filled.map((column) => String(column.valueAt(row) ?? '')));
  return formatCsv([head, ...lines].map((cells) => cells.map(guardFormula)));
}

/** A spreadsheet runs a cell that begins like this as a formula, unless it is a signed number or name. */
function guardFormula(cell: string): string {
  if (/^[+-][\w.,%+-]*$/.test(cell)) return cell;
  return cell.replace(/(^|[;\t\r\n])(?=['"]*[=+\-@＝＋－＠])/g, "$1'");
}

/** RFC 4180 with LF line ends. */
function formatCsv(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `${cells.map(quote).join(',')}\n`).join('');
}

function quote(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A manifest that runs the rows again: to be saved next to the report, because input paths are relative to it. */
function formatManifest(items: readonly WithDetail[]): string {
  const rows = items.flatMap(({ detail: { facts } }) => (facts === null ? [] : [facts.manifest]));
  // The columns that mark guarded cells are the last two of every row.
  const last = Object.keys(rows[0] ?? {}).slice(-2);
  const names = new Set(rows.flatMap((cells) => Object.keys(cells)));
  for (const name of last) names.delete(name);
  const head = [...names, ...last];
  return formatCsv([head, ...rows.map((cells) => head.map((name) => cells[name] ?? ''))]);
}

/** For pasting into other programs: SMILES followed by the id, and sequences as FASTA. */
export function formatStructures(table: ItemTable, items: readonly WithDetail[]): string {
  const asFasta = (name: string, residues: string): string => `>${name}\n${residues}\n`;
  return items
    .map(({ row, detail: { formula, result } }) => {
      const id = table.id[row] ?? '';
      if (formula?.smiles) return `${formula.smiles}\t${id}\n`;
      if (result?.shape === 'proteins' || result?.shape === 'aligned')
        return result.proteins.map(({ name, residues }) => asFasta(name, residues)).join('');
      if (result?.shape !== 'chains') return '';
      return result.chains
        .map(({ chain, residues }) => asFasta(`${id} ${chain ?? ''}`, residues))
        .join('');
    })
    .join('');
}
