/** Items for people: aligned columns, as wide as what came so far needs; why one did not succeed stands below it. */
import { say } from './explain.ts';
import type { ItemLine } from './item-lines.ts';
import type { ItemsPrinter } from './items-document.ts';
import { columnsOf, cutText, padded } from './live/line.ts';

/** Lines that are aligned with each other; later ones may be wider. */
const TOGETHER = 200;

export class ItemsText implements ItemsPrinter {
  private readonly campaign: string;
  private readonly widths: number[] = [];
  private lines: { readonly cells: readonly string[]; readonly message: string | null }[] = [];
  private shown = 0;

  constructor({ campaign }: { readonly campaign: { readonly name: string } }) {
    this.campaign = campaign.name;
  }

  line(line: ItemLine): Promise<void> {
    const { id, kind, state, code, remoteId, path, since, message } = line;
    const time = since === null ? '' : timeText(since);
    const cells = [id, kind, state, time, code, path, remoteId].map((cell) => cell ?? '');
    this.lines.push({ cells, message });
    if (this.lines.length === TOGETHER) this.flush();
    return Promise.resolve();
  }

  end(): Promise<void> {
    this.flush();
    if (this.shown === 0) say(`${this.campaign} has no such item.`);
    return Promise.resolve();
  }

  private flush(): void {
    for (const { cells } of this.lines)
      for (const [n, cell] of cells.entries())
        this.widths[n] = Math.max(this.widths[n] ?? 0, columnsOf(cell));
    for (const { cells, message } of this.lines) {
      say(fitting(this.row(cells)));
      if (message !== null) say(fitting(`  ${message.replace(/\s+/g, ' ')}`));
    }
    this.shown += this.lines.length;
    this.lines = [];
  }

  private row(cells: readonly string[]): string {
    // A column that nobody has anything in takes no room.
    const used = cells.flatMap((cell, n) => {
      const width = this.widths[n] ?? 0;
      return width === 0 ? [] : [padded(cell, width)];
    });
    return used.join('  ').trimEnd();
  }
}

/** In one row of a terminal; whole where it goes elsewhere. */
function fitting(text: string): string {
  return process.stderr.isTTY ? cutText(text, process.stderr.columns) : text;
}

const TIME = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** `2026-11-21 02:14:33`, as on the clock here. */
function timeText(iso: string): string {
  return TIME.format(new Date(iso));
}
