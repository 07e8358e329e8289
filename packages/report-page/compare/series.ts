/** Values along the chains of several items, as lines of one chart. Pure. */
import { SHIFTS_MISSING, TRACK_KEYS } from '../../../src/kinds/protein/reading.ts';
import type { ItemDetail } from '../../../src/report/page-data.ts';
import type { PackedTrack } from '../../../src/kinds/page-data.ts';
import { isText, numbersOf } from '../../../src/kinds/protein/packing.ts';

export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

interface Source {
  readonly id: string;
  readonly detail: Pick<ItemDetail, 'result'>;
}

/** By the payload's key, in the order of tables and plots: a line for each chain; for an alignment its medians. */
export function seriesOf(all: readonly Source[]): ReadonlyMap<string, readonly Series[]> {
  const byKey = new Map<string, Series[]>();
  for (const source of all) {
    for (const { name, key, track } of tracksOf(source)) {
      if (isText(track)) continue;
      const values = numbersOf(track).map((value) =>
        key === 'shiftCrypt' && value === SHIFTS_MISSING ? null : value,
      );
      byKey.set(key, [...(byKey.get(key) ?? []), { name, values }]);
    }
  }
  const known: readonly string[] = TRACK_KEYS;
  const placeOf = (key: string): number =>
    known.includes(key) ? known.indexOf(key) : known.length;
  return new Map([...byKey].sort(([one], [other]) => placeOf(one) - placeOf(other)));
}

interface NamedTrack {
  readonly name: string;
  readonly key: string;
  readonly track: PackedTrack;
}

function tracksOf({ id, detail: { result } }: Source): readonly NamedTrack[] {
  if (result?.shape === 'proteins') {
    return result.proteins.flatMap(({ name, tracks }) =>
      Object.entries(tracks).map(([key, track]) => ({
        key,
        track,
        name: result.proteins.length === 1 ? id : `${id}: ${name}`,
      })),
    );
  }
  if (result?.shape === 'aligned') {
    return Object.entries(result.spreads).map(([key, { median }]) => ({
      key,
      track: median,
      name: `${id}, median`,
    }));
  }
  if (result?.shape === 'chains') {
    return result.chains.map(({ chain, shiftCrypt }) => ({
      key: 'shiftCrypt',
      track: shiftCrypt,
      name: result.chains.length === 1 ? id : `${id}: ${chain ?? ''}`,
    }));
  }
  return [];
}
