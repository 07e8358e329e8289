/** The rows of the page's table, gathered one by one. */
import type { ItemTable } from '../../report-page/data.ts';
import type { ServiceName } from '../../domain/item.ts';
import { errorOf, ownOf, stateOf, type Listed } from '../campaign-items.ts';

type Writable<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer E)[] ? E[] : never;
};

export class TableRows {
  private readonly columns: Writable<Omit<ItemTable, 'own'>> = {
    ...{ id: [], kind: [], state: [], result: [], code: [], message: [], remoteId: [] },
    ...{ attempts: [], submitted: [], finished: [], engine: [] },
  };
  private readonly own = new Map<string, string[]>();
  /** By service, in ms since the epoch. */
  private readonly accepted = new Map<ServiceName, number[]>();

  /** How many there are by now. */
  get length(): number {
    return this.columns.id.length;
  }

  /** `words`: what came out; '' where nothing did. */
  add(item: Listed, words: string): void {
    const { id, kind, record } = item;
    const { columns } = this;
    const error = errorOf(item);
    for (const [name, value] of Object.entries(ownOf(item)))
      this.ownColumn(name)[this.length] = value;
    columns.id.push(id);
    columns.kind.push(kind);
    columns.state.push(stateOf(item));
    columns.result.push(words);
    columns.code.push(error?.code ?? null);
    columns.message.push(error?.message ?? null);
    columns.remoteId.push(record?.remoteId ?? null);
    columns.attempts.push(record?.attempts.length ?? 0);
    columns.submitted.push(timeOf(record?.submittedAt));
    columns.finished.push(timeOf(record?.finishedAt));
    columns.engine.push(record?.engine ?? null);
    if (record !== null) this.addAcceptances(record.service, record.attempts);
  }

  /** Times become ms after `startedAt`, ISO 8601. */
  table(startedAt: string): ItemTable {
    const start = Date.parse(startedAt);
    const after = (time: number | null): number | null => (time === null ? null : time - start);
    const { submitted, finished, ...others } = this.columns;
    return {
      ...others,
      submitted: submitted.map(after),
      finished: finished.map(after),
      own: Array.from(this.own, ([name, values]) => ({
        name,
        values: Array.from({ length: this.length }, (_, row) => values[row] ?? ''),
      })),
    };
  }

  /** When each service took jobs on, ms after `startedAt`, ascending. */
  acceptances(startedAt: string): Partial<Record<ServiceName, readonly number[]>> {
    const start = Date.parse(startedAt);
    return Object.fromEntries(
      Array.from(this.accepted, ([service, times]) => [
        service,
        times.map((time) => time - start).sort((a, b) => a - b),
      ]),
    );
  }

  private ownColumn(name: string): string[] {
    let values = this.own.get(name);
    if (values === undefined) this.own.set(name, (values = []));
    return values;
  }

  /** A job that a look-up found was accepted when the answer was lost; when it was found is near enough. */
  private addAcceptances(
    service: ServiceName,
    attempts: readonly { readonly at: string; readonly outcome: string }[],
  ): void {
    let times = this.accepted.get(service);
    if (times === undefined) this.accepted.set(service, (times = []));
    for (const { at, outcome } of attempts) {
      if (outcome === 'accepted' || outcome === 'found') times.push(Date.parse(at));
    }
  }
}

function timeOf(iso: string | null | undefined): number | null {
  return iso == null ? null : Date.parse(iso);
}
