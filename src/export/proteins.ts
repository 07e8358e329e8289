/** The chains of a result, each with a name that is unique in the export. */
import type { ProteinReading } from '../kinds/protein/reading.ts';
import type { Added, ExportFormat, ExportItem, ResultReading } from './format.ts';
import { leftOut } from './left-out.ts';

export interface NamedProtein {
  /** From characters that every format accepts: the id of the item, and of the record if there are several. */
  readonly name: string;
  readonly protein: ProteinReading;
}

/** The common part of formats for predictions along chains. */
export const OF_PROTEINS: Pick<ExportFormat, 'kinds' | 'files' | 'takes'> = {
  kinds: ['sequence', 'alignment'],
  files: [],
  takes: ['reading'],
};

export type NamedProteins = readonly [NamedProtein, ...NamedProtein[]];

/** For items whose result contains a protein; others are left out. */
export function withProteins(
  add: (item: ExportItem, proteins: NamedProteins) => Added,
): (item: ExportItem) => Added {
  return (item) => {
    const [first, ...others] = namedProteins(item, item.reading);
    if (first === undefined) return leftOut('RESULT_UNREADABLE', { lack: 'no protein' });
    return add(item, [first, ...others]);
  };
}

/** ids are unique in a campaign and contain no `:`, so the names are unique too. */
export function namedProteins(
  { id }: Pick<ExportItem, 'id'>,
  reading: ResultReading | null,
): readonly NamedProtein[] {
  const proteins = proteinsOf(reading);
  if (proteins.length < 2) return proteins.map((protein) => ({ name: id, protein }));
  const taken = new Set<string>();
  return proteins.map((protein) => {
    const wanted = `${id}:${protein.name.replace(/[^A-Za-z0-9._-]+/g, '_')}`;
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
    taken.add(name);
    return { name, protein };
  });
}

function proteinsOf(reading: ResultReading | null): readonly ProteinReading[] {
  return reading?.kind === 'sequence' || reading?.kind === 'alignment' ? reading.proteins : [];
}
