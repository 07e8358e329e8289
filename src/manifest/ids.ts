/** Ids of items: unique across all manifests of a campaign. */
import { IdTable, type RowPlace } from './id-table.ts';
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

/** Remembers every id in use, by its digest: see `IdTable`. */
export class IdRegister {
  readonly #table = new IdTable();

  /** Registers the user's id. */
  claim(written: string, place: RowPlace): Named {
    const where = { column: 'id', value: written };
    if (!NAME.test(written)) {
      return { id: null, complaints: [complaint('MANIFEST_ID_INVALID', {}, where)] };
    }
    const used = this.#table.find(written);
    if (used === null) {
      this.#table.add(place);
      return { id: written, complaints: NOTHING };
    }
    const first = `${shown(used.place.file)} line ${String(used.place.line)}`;
    if (used.same) {
      return { id: written, complaints: [complaint('MANIFEST_ID_DUPLICATE', { first }, where)] };
    }
    this.#table.add(place);
    return { id: written, complaints: [complaint('MANIFEST_ID_CASE', { first }, where)] };
  }

  /**
   * Makes an id for a row without one, from the name of its input, or from its line. The same rows in the same order
   * get the same ids.
   */
  make(name: string, place: RowPlace): string {
    const safe = name.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[._]+/, '');
    const wanted = safe === '' ? `row-${String(place.line)}` : safe.slice(0, LONGEST);
    const id = this.#table.find(wanted) === null ? wanted : this.#numbered(wanted);
    this.#table.find(id);
    this.#table.add(place);
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
    while (this.#table.find(withNumber(free)) !== null) {
      taken = free;
      free *= 2;
    }
    while (free - taken > 1) {
      const middle = Math.floor((taken + free) / 2);
      if (this.#table.find(withNumber(middle)) === null) free = middle;
      else taken = middle;
    }
    return withNumber(free);
  }
}
