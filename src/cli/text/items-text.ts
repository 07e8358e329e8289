/** Items for users and pipes: one row each, with the reason of a failure in the last column. */
import { say } from './explain.ts';
import type { ItemLine } from '../../campaigns/item-lines.ts';
import type { ItemsPrinter } from './items-document.ts';
import { Table } from './table.ts';

const HEADER = ['ID', 'KIND', 'STATE', 'SINCE', 'CODE', 'PATH', 'REMOTE_ID', 'MESSAGE'];

export class ItemsText implements ItemsPrinter {
  readonly #campaign: string;
  readonly #table = new Table(HEADER);

  constructor({ campaign }: { readonly campaign: { readonly name: string } }) {
    this.#campaign = campaign.name;
  }

  line({ id, kind, state, since, code, path, remoteId, message }: ItemLine): Promise<void> {
    const time = since === null ? '' : timeText(since);
    this.#table.add([id, kind, state, time, code, path, remoteId, message]);
    return Promise.resolve();
  }

  end(): Promise<void> {
    if (this.#table.end() === 0) say(`${this.#campaign} has no such item.`);
    return Promise.resolve();
  }
}

const TIME = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** `2026-11-21T02:14:33` in local time; without a space, so that columns can be counted. */
function timeText(iso: string): string {
  return TIME.format(new Date(iso)).replace(' ', 'T');
}
