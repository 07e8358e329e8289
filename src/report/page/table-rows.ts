/** The rows of the page's table, collected one by one. */
import type { ItemTable, PageData } from '../../report-page/data.ts';
import { errorOf, ownOf, stateOf, type Listed } from '../campaign-items.ts';
import type { ResultParts } from '../result-parts.ts';
import { Acceptances } from './acceptances.ts';
import { MeasureLists } from './measure-lists.ts';

type Writable<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer E)[] ? E[] : never;
};

export class TableRows {
  readonly #columns: Writable<Omit<ItemTable, 'own' | 'measures'>> = {
    id: [],
    kind: [],
    state: [],
    result: [],
    code: [],
    message: [],
    remoteId: [],
    attempts: [],
    submitted: [],
    finished: [],
    engine: [],
  };
  readonly #own = new Map<string, string[]>();
  readonly #measures = new MeasureLists();
  readonly #accepted = new Acceptances();

  /** Number of rows so far. */
  get length(): number {
    return this.#columns.id.length;
  }

  add(item: Listed, { words, measures }: Pick<ResultParts, 'words' | 'measures'>): void {
    const { id, kind, record } = item;
    const columns = this.#columns;
    const error = errorOf(item);
    for (const [name, value] of Object.entries(ownOf(item)))
      this.#ownColumn(name)[this.length] = value;
    if (kind !== null) this.#measures.add(kind, measures);
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
    if (record !== null) this.#accepted.add(record);
  }

  /** Times become ms after `startedAt`, ISO 8601. */
  table(startedAt: string): ItemTable {
    const start = Date.parse(startedAt);
    const after = (time: number | null): number | null => (time === null ? null : time - start);
    const { submitted, finished, ...others } = this.#columns;
    return {
      ...others,
      submitted: submitted.map(after),
      finished: finished.map(after),
      measures: this.#measures.byKind(),
      own: Array.from(this.#own, ([name, values]) => ({
        name,
        values: Array.from({ length: this.length }, (_, row) => values[row] ?? ''),
      })),
    };
  }

  /** For each service: the time spans in which it accepted jobs, in ms after `startedAt`. */
  acceptances(startedAt: string): PageData['acceptances'] {
    return this.#accepted.spans(startedAt);
  }

  #ownColumn(name: string): string[] {
    let values = this.#own.get(name);
    if (values === undefined) this.#own.set(name, (values = []));
    return values;
  }
}

function timeOf(iso: string | null | undefined): number | null {
  return iso == null ? null : Date.parse(iso);
}
