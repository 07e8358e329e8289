/** `chimerax`: values of residues as attributes (ChimeraX manual, "Attribute Assignment File Format"). */
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { leftOut } from './left-out.ts';
import { OF_PROTEINS, withProteins, type NamedProtein, type NamedProteins } from './proteins.ts';
import { withoutGaps } from './regions.ts';
import { colourStructure } from './structure/coloured-structure.ts';

export const chimerax: ExportFormat = {
  name: 'chimerax',
  ...OF_PROTEINS,
  content: 'attributes of residues, .defattr; with the chains of a structure you name',
  loadedBy: 'ChimeraX',
  structure: 'taken',
  start: (): Exporter => ({ add: withProteins(addAttributes), end: () => [] }),
};

interface Assignment {
  /** `/A:12` or `:12`. */
  readonly specifier: string;
  readonly value: number;
}

function addAttributes(item: ExportItem, proteins: NamedProteins): Added {
  const [first] = proteins;
  const tracks = Object.keys(first.protein.tracks);
  const onStructure = item.structure !== null;
  if (!onStructure && proteins.length > 1) {
    return leftOut('STRUCTURE_UNNAMED', { sequences: proteins.length });
  }
  const notes = new Set<string>();
  const sections: string[] = [];
  for (const track of tracks) {
    const found = onStructure ? onChains(item, track) : byPosition(first, track);
    if ('leftOut' in found) return found;
    for (const note of found.notes) notes.add(note);
    if (found.assignments.length > 0) sections.push(section(track, found.assignments));
  }
  return { pieces: [{ file: `${item.id}.defattr`, text: sections.join('\n') }], notes: [...notes] };
}

function section(track: string, assignments: readonly Assignment[]): string {
  const lines = assignments.map(({ specifier, value }) => `\t${specifier}\t${value}\n`);
  return `attribute: ${attributeName(track)}\nrecipient: residues\n${lines.join('')}`;
}

/** Letters, digits and underscores, starting with a lower-case letter, because ChimeraX reserves capitals. */
function attributeName(track: string): string {
  const safe = track.replace(/[^A-Za-z0-9_]/g, '_');
  return /^[a-z]/.test(safe) ? safe : `b2b_${safe}`;
}

interface Assigned {
  readonly assignments: readonly Assignment[];
  readonly notes: readonly string[];
}

function onChains(
  item: ExportItem,
  track: string,
): Assigned | Extract<Added, { leftOut: unknown }> {
  const structure = colourStructure(item, track);
  if ('code' in structure) return { leftOut: structure };
  const assignments = structure.residues.flatMap(({ chain, number, insertion, value }) => {
    const place = `:${number}${insertion}`;
    const specifier = chain.trim() === '' ? place : `/${chain}${place}`;
    return value === null ? [] : [{ specifier, value }];
  });
  return { assignments, notes: structure.notes };
}

/** Residues counted from 1, as in a model of the whole sequence. */
function byPosition({ protein }: NamedProtein, track: string): Assigned {
  const values = withoutGaps(protein.tracks[track] ?? [], protein.residues);
  const assignments = values.flatMap((value, index) =>
    typeof value === 'number' ? [{ specifier: `:${index + 1}`, value }] : [],
  );
  return { assignments, notes: [] };
}
