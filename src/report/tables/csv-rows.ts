/**
 * Rows of a result table as CSV, in the style of items.csv. Numbers as JavaScript writes them, in the shortest form.
 */
import { csvCell } from '../csv-table.ts';
import { isList, type Cell, type CellList, type Column, type Slab } from './column.ts';

/** Number of cached quoted texts: letters, labels, ids and the cells of one item. */
const REMEMBERED = 1_000;
const quoted = new Map<string, string>();

/** A piece of each row: the same in all, or one per row. */
type Piece = string | readonly string[];

export function csvRows(columns: readonly Column[], { rows, cells }: Slab): string {
  const pieces = piecesOf(columns, rows, cells);
  let text = '';
  for (let row = 0; row < rows; row += 1) {
    for (const piece of pieces) text += typeof piece === 'string' ? piece : (piece[row] ?? '');
  }
  return text;
}

function piecesOf(
  columns: readonly Column[],
  rows: number,
  cells: Slab['cells'],
): readonly Piece[] {
  const pieces: Piece[] = [];
  let fixed = '';
  for (let index = 0; index < cells.length; index += 1) {
    if (index > 0) fixed += ',';
    const cell = cells[index] ?? null;
    if (!isList(cell)) {
      fixed += cellText(cell);
      continue;
    }
    const numbers = numbersFrom(index, columns, cells);
    const list = numbers.length > 0 ? numberRows(rows, numbers) : Array.from(cell, cellText);
    pieces.push(fixed, list);
    fixed = '';
    index += Math.max(0, numbers.length - 1);
  }
  return [...pieces, `${fixed}\n`];
}

/** The consecutive columns of numbers from this one on. */
function numbersFrom(
  start: number,
  columns: readonly Column[],
  cells: Slab['cells'],
): readonly CellList[] {
  const lists: CellList[] = [];
  for (let index = start; isNumeric(columns[index]); index += 1) {
    const list = cells[index];
    if (!isList(list)) break;
    lists.push(list);
  }
  return lists;
}

function isNumeric(column: Column | undefined): boolean {
  return column?.type === 'number' || column?.type === 'integer';
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? quotedText(cell) : String(cell);
}

function quotedText(text: string): string {
  const known = quoted.get(text);
  if (known !== undefined) return known;
  if (quoted.size >= REMEMBERED) quoted.clear();
  const cell = csvCell(text);
  quoted.set(text, cell);
  return cell;
}

/**
 * The numbers of each row, separated by commas. There are tens of millions of them: `JSON.stringify` gives the same
 * digits as `String`, four times as fast.
 */
function numberRows(rows: number, lists: readonly CellList[]): readonly string[] {
  const matrix = new Array<Cell[]>(rows);
  for (let row = 0; row < rows; row += 1) {
    const numbers = new Array<Cell>(lists.length);
    for (let at = 0; at < lists.length; at += 1) numbers[at] = lists[at]?.[row] ?? null;
    matrix[row] = numbers;
  }
  return JSON.stringify(matrix).slice(2, -2).replaceAll('null', '').split('],[');
}
