/**
 * Ids of items: one namespace over all manifests of a campaign.
 */
import path from 'node:path';
import { shown } from './show.ts';
import { complaint, type Complaint } from './problems.ts';

const LONGEST = 64;
const GRAMMAR = /^(?!\.)[A-Za-z0-9._-]{1,64}$/;

export interface Named {
  /** Null when the user's own id cannot be one. */
  readonly id: string | null;
  readonly complaints: readonly Complaint[];
}

/** Knows every id that was given out; about 150 bytes each, the only thing that grows with the table. */
export class IdRegister {
  readonly #places = new Map<string, string>();
  /** Lower case → as written. */
  readonly #folded = new Map<string, string>();

  /** Takes the id that the user wrote. */
  claim(written: string, place: { file: string; line: number }): Named {
    const where = { column: 'id', value: written };
    if (!GRAMMAR.test(written)) {
      return { id: null, complaints: [complaint('MANIFEST_ID_INVALID', {}, where)] };
    }
    const first = this.#places.get(written);
    if (first !== undefined) {
      return { id: written, complaints: [complaint('MANIFEST_ID_DUPLICATE', { first }, where)] };
    }
    const other = this.#folded.get(written.toLowerCase());
    this.#keep(written, place);
    if (other === undefined) return { id: written, complaints: [] };
    const facts = { other, first: this.#places.get(other) ?? '' };
    return { id: written, complaints: [complaint('MANIFEST_ID_CASE', facts, where)] };
  }

  /** Makes an id for a row that has none: from the name of its file, or from its line. */
  make(file: string, place: { file: string; line: number }): string {
    const stem = path.posix.parse(file.replaceAll('\\', '/')).name;
    const safe = stem.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[._]+/, '');
    const wanted = safe === '' ? `row-${String(place.line)}` : safe.slice(0, LONGEST);
    let id = wanted;
    for (let number = 2; this.#folded.has(id.toLowerCase()); number += 1) {
      const ending = `-${String(number)}`;
      id = wanted.slice(0, LONGEST - ending.length) + ending;
    }
    this.#keep(id, place);
    return id;
  }

  #keep(id: string, place: { file: string; line: number }): void {
    this.#places.set(id, `${shown(place.file)} line ${String(place.line)}`);
    this.#folded.set(id.toLowerCase(), id);
  }
}
