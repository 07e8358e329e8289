/** Tables on stdout, for users and pipes. */
import { escapeUnsafe } from '../../domain/plain-text.ts';
import { countColumns, cutText, padText } from './line.ts';
import { printLine } from './output.ts';

/** Rows that are aligned with each other; later ones may be wider. */
const TOGETHER = 200;
const EMPTY = '-';

/**
 * Columns aligned below a header, as wide as the rows so far need. An empty cell is `-`, so that columns can be
 * counted.
 */
export class Table {
  readonly #widths: number[] = [];
  #rows: (readonly string[])[] = [];
  #written = 0;

  constructor(header: readonly string[]) {
    this.#rows.push(header);
  }

  add(cells: readonly (string | null | undefined)[]): void {
    this.#rows.push(cells.map((cell) => toOneLine(cell ?? '')));
    if (this.#rows.length === TOGETHER) this.#flush();
  }

  /** @returns the number of rows, without the header */
  end(): number {
    this.#flush();
    return this.#written - 1;
  }

  #flush(): void {
    for (const row of this.#rows)
      for (const [n, cell] of row.entries())
        this.#widths[n] = Math.max(this.#widths[n] ?? 0, countColumns(cell));
    for (const row of this.#rows) {
      const cells = row.map((cell, n) => padText(cell, this.#widths[n] ?? 0));
      printLine(fitToTerminal(cells.join('  ').trimEnd()));
    }
    this.#written += this.#rows.length;
    this.#rows = [];
  }
}

export function printTable(
  header: readonly string[],
  rows: readonly (readonly (string | null | undefined)[])[],
): void {
  const table = new Table(header);
  for (const row of rows) table.add(row);
  table.end();
}

/** Names of jobs and messages come from the service. */
function toOneLine(cell: string): string {
  return escapeUnsafe(cell).replace(/\s+/g, ' ').trim() || EMPTY;
}

/** Cut to one terminal row; complete elsewhere. */
function fitToTerminal(text: string): string {
  return process.stdout.isTTY ? cutText(text, process.stdout.columns) : text;
}
