/** What the user can copy or save of the rows, for other programs. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ItemDetail, PageData } from '../../src/report/page-data.ts';
import type { Column } from './columns.ts';
import { readItemDetail } from './embedded.ts';

/** Both resolve with a message for the user. */
export function saveTable(name: string, columns: readonly Column[], rows: readonly number[]) {
  saveFile(`${name}-items.csv`, formatTable(columns, rows), 'text/csv');
  return Promise.resolve(`${name}-items.csv saved.`);
}

export async function copyStructures({ table, chunks }: PageData, rows: readonly number[]) {
  const texts: string[] = [];
  for (const row of rows)
    texts.push(formatStructure(table.id[row] ?? '', await readItemDetail(chunks, row)));
  return copyText(texts.join(''));
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

/** Only columns with a value in one of the rows; unformatted numbers, in their unit. RFC 4180 with LF line ends. */
function formatTable(columns: readonly Column[], rows: readonly number[]): string {
  const filled = columns.filter((column) => rows.some((row) => column.valueAt(row) !== null));
  const head = filled.map(({ key, group, title }) => (group === 'own' ? title : key));
  const lines = rows.map((row) => filled.map((column) => String(column.valueAt(row) ?? '')));
  return [head, ...lines].map((cells) => `${cells.map(formatCell).join(',')}\n`).join('');
}

function formatCell(text: string): string {
  const cell = guardFormula(text);
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A spreadsheet runs a cell that begins like this as a formula, unless it is a signed number or name. */
function guardFormula(cell: string): string {
  if (/^[+-][\w.,%+-]*$/.test(cell)) return cell;
  return cell.replace(/(^|[;\t\r\n])(?=['"]*[=+\-@＝＋－＠])/g, "$1'");
}

/** For pasting into other programs: SMILES followed by the id, and sequences as FASTA. */
export function formatStructure(id: string, { formula, result }: ItemDetail): string {
  const asFasta = (name: string, residues: string): string => `>${name}\n${residues}\n`;
  if (formula?.smiles) return `${formula.smiles}\t${id}\n`;
  if (result?.shape === 'proteins' || result?.shape === 'aligned')
    return result.proteins.map(({ name, residues }) => asFasta(name, residues)).join('');
  if (result?.shape !== 'chains') return '';
  return result.chains
    .map(({ chain, residues }) => asFasta(`${id} ${chain ?? ''}`, residues))
    .join('');
}
