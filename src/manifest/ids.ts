/** Ids of items: unique across all manifests of a campaign. */
import { NAME } from './name-grammar.ts';
import { shown } from './problems/show.ts';
import { complaint, type Complaint } from './problems/problems.ts';

const LONGEST = 64;

interface Named {
  /** Null if the user's own id is invalid. */
  readonly id: string | null;
  readonly complaints: readonly Complaint[];
}

const NOTHING: readonly Complaint[] = [];

interface RowPlace {
  /** As the user named it. */
  readonly file: string;
  readonly line: number;
}

/** Which ids are used, and where first. */
export class UsedIds {
  readonly #places = new Map<string, RowPlace>();
  /** By the id in lower case. */
  readonly #inAnyCase = new Map<string, RowPlace>();

  /** The first use of this id: the `same`, or one that differs only in case; null if it is free. */
  find(id: string): { readonly place: RowPlace; readonly same: boolean } | null {
    const same = this.#places.get(id);
    const place = same ?? this.#inAnyCase.get(id.toLowerCase());
    return place === undefined ? null : { place, same: same !== undefined };
  }

  /** An id that is not used yet. */
  add(id: string, place: RowPlace): void {
    this.#places.set(id, place);
    const folded = id.toLowerCase();
    if (!this.#inAnyCase.has(folded)) this.#inAnyCase.set(folded, place);
  }
}

export class IdRegister {
  readonly #used = new UsedIds();

  /** Registers the user's id. */
  claim(written: string, place: RowPlace): Named {
    const where = { column: 'id', value: written };
    if (!NAME.test(written)) {
      return { id: null, complaints: [complaint('MANIFEST_ID_INVALID', {}, where)] };
    }
    const used = this.#used.find(written);
    if (used === null) {
      this.#used.add(written, place);
      return { id: written, complaints: NOTHING };
    }
    const first = `${shown(used.place.file)} line ${String(used.place.line)}`;
    if (used.same) {
      return { id: written, complaints: [complaint('MANIFEST_ID_DUPLICATE', { first }, where)] };
    }
    this.#used.add(written, place);
    return { id: written, complaints: [complaint('MANIFEST_ID_CASE', { first }, where)] };
  }

  /**
   * Makes an id for a row without one, from the name of its input, or from its line. The same rows in the same order
   * get the same ids.
   */
  make(name: string, place: RowPlace): string {
    const safe = name.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[._]+/, '');
    const wanted = safe === '' ? `row-${String(place.line)}` : safe.slice(0, LONGEST);
    const id = this.#used.find(wanted) === null ? wanted : this.#numbered(wanted);
    this.#used.add(id, place);
    return id;
  }

  /** The first free number, searched in doubling steps: a library may call every molecule `LIG`. */
  #numbered(wanted: string): string {
    const withNumber = (number: number): string => {
      const ending = `-${String(number)}`;
      return wanted.slice(0, LONGEST - ending.length) + ending;
    };
    let taken = 1;
    let free = 2;
    while (this.#used.find(withNumber(free)) !== null) {
      taken = free;
      free *= 2;
    }
    while (free - taken > 1) {
      const middle = Math.floor((taken + free) / 2);
      if (this.#used.find(withNumber(middle)) === null) free = middle;
      else taken = middle;
    }
    return withNumber(free);
  }
}
