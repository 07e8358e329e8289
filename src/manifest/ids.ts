/** Ids of items and of adopted jobs: unique across all manifests of a campaign. */
import type { CheckedRow } from '../domain/campaign.ts';
import { toAscii, ID } from '../domain/name.ts';
import { formatShown, quote } from '../domain/plain-text.ts';
import { type Finding, createError, createWarning } from '../kinds/kind.ts';
import { toProblem } from './problems.ts';
import { findServiceOfKind } from '../services/registry.ts';

const MAX_LENGTH = 64;

interface RowPlace {
  /** As the user named it. */
  readonly file: string;
  readonly line: number;
}

function placeText({ file, line }: RowPlace): string {
  return `${formatShown(file)} line ${String(line)}`;
}

export class IdRegister {
  /** The first use of every id, and of every id in lower case. */
  readonly #places = new Map<string, RowPlace>();
  readonly #inAnyCase = new Map<string, RowPlace>();
  /** Name → the first number that may be free. */
  readonly #next = new Map<string, number>();

  /** Registers the user's id; `id` is null if it is invalid. */
  claim(written: string, place: RowPlace): { id: string | null; findings: Finding[] } {
    const where = { column: 'id', value: written };
    if (!ID.test(written)) {
      const invalid = createError(
        'MANIFEST_ID_INVALID',
        `${quote(written)} cannot be an id: it becomes the name of a folder.`,
        'Use 1 to 64 letters, digits, dots, dashes and underscores, without a leading dot; or leave it empty.',
        where,
      );
      return { id: null, findings: [invalid] };
    }
    const same = this.#places.get(written);
    const like = this.#inAnyCase.get(written.toLowerCase());
    if (same !== undefined) {
      const duplicate = createError(
        'MANIFEST_ID_DUPLICATE',
        `The id ${quote(written)} is already used at ${placeText(same)}.`,
        'Ids must be unique in all manifests of a campaign: rename one of the two.',
        where,
      );
      return { id: written, findings: [duplicate] };
    }
    this.#add(written, place);
    if (like === undefined) return { id: written, findings: [] };
    const similar = createWarning(
      'MANIFEST_ID_CASE',
      `The id ${quote(written)} differs from the one at ${placeText(like)} only in case.`,
      'Rename one of them if the output may be stored on a case-insensitive disk (macOS, Windows).',
      where,
    );
    return { id: written, findings: [similar] };
  }

  /**
   * Makes an id for a row without one, from the name of its input, or from its line. The same rows in the same order
   * get the same ids.
   */
  make(name: string, place: RowPlace): string {
    const safe = toAscii(name)
      .replace(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^[._]+/, '');
    const proposed = safe === '' ? `row-${String(place.line)}` : safe.slice(0, MAX_LENGTH);
    const id = this.#isUsed(proposed) ? this.#numbered(proposed) : proposed;
    this.#add(id, place);
    return id;
  }

  #isUsed(id: string): boolean {
    return this.#inAnyCase.has(id.toLowerCase());
  }

  #add(id: string, place: RowPlace): void {
    this.#places.set(id, place);
    const folded = id.toLowerCase();
    if (!this.#inAnyCase.has(folded)) this.#inAnyCase.set(folded, place);
  }

  /** The first free number: a library may call every molecule `LIG`, so it goes on where it was. */
  #numbered(proposed: string): string {
    for (let number = this.#next.get(proposed) ?? 2; ; number += 1) {
      const ending = `-${String(number)}`;
      const id = proposed.slice(0, MAX_LENGTH - ending.length) + ending;
      if (this.#isUsed(id)) continue;
      this.#next.set(proposed, number + 1);
      return id;
    }
  }
}

/** Adopted jobs: each once in a campaign. Ids of two services may be equal. */
export class RemoteIdRegister {
  readonly #places = new Map<string, RowPlace>();

  /** Refuses a row that adopts the job of an earlier row. Call it in row order. */
  claim(row: CheckedRow): CheckedRow {
    const { item } = row;
    if (!item?.adopts) return row;
    const { remoteId } = item.adopts;
    const { name: service, jobId } = findServiceOfKind(item.kind);
    const name = `${service} ${jobId.ignoreCase ? remoteId.toLowerCase() : remoteId}`;
    const used = this.#places.get(name);
    if (used === undefined) {
      this.#places.set(name, item.source);
      return row;
    }
    const why = createError(
      'MANIFEST_REMOTE_ID_DUPLICATE',
      `The job ${quote(remoteId)} is already adopted at ${placeText(used)}.`,
      'Keep one of the two rows: a job becomes one item.',
      { column: 'remote_id', value: remoteId },
    );
    const problem = toProblem(why, { ...item.source, id: item.id });
    return { ...row, item: null, problems: [...row.problems, problem] };
  }
}
