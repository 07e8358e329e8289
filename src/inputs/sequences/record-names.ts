/**
 * What the predictors will call the records of a FASTA text: the results name them by ids made of the headers, and
 * the tables must lead back to what the user wrote.
 *
 * The rules were read off the engine's results for awkward headers (test/inputs/record-names.test.ts holds them to
 * it). Where a header goes beyond what was seen there, the records are sent under names of our own.
 */
import type { FastaRecord } from './fasta.ts';

export interface RecordNames {
  /** What to write after the `>`, record by record. */
  readonly headers: readonly string[];
  /** Id in the results → header of the user's, where the two differ. */
  readonly names: Readonly<Record<string, string>> | undefined;
  /** The ids in the results. */
  readonly ids: readonly string[];
  /** True when the headers are not the user's. */
  readonly renamed: boolean;
}

interface Rule {
  /** Headers for which the id is known. No `/`: an id may end up in the name of a file. */
  readonly known: RegExp;
  readonly id: (header: string) => string;
}

/** An alignment keeps `|` and `.`, a list of sequences does not. */
const RULES: Readonly<Record<'sequence' | 'alignment', Rule>> = {
  sequence: {
    known: /^[\w\-=;:'"()[\]|,. \t]+$/,
    id: (header) => header.replace(/[ \t|,]/g, '_').replaceAll('.', ''),
  },
  alignment: {
    known: /^[\w\-|. ]+$/,
    id: (header) => header.replaceAll(' ', '_'),
  },
};

/** The longest header of which the id was seen in a result. */
const LONGEST = 147;

export function nameRecords(
  records: readonly Pick<FastaRecord, 'header'>[],
  kind: 'sequence' | 'alignment',
): RecordNames {
  const written = records.map(({ header }) => header);
  const predicted = resultIds(written, RULES[kind]);
  const ids = predicted ?? written.map((_, index) => `seq_${String(index + 1)}`);
  const differing = ids.flatMap((id, index) => {
    const header = written[index] ?? '';
    return id === header ? [] : [[id, header] as const];
  });
  return {
    headers: predicted === null ? ids : written,
    names: differing.length === 0 ? undefined : Object.fromEntries(differing),
    ids,
    renamed: predicted === null,
  };
}

/** @returns null when a single one is not known for certain, or two are the same */
function resultIds(headers: readonly string[], { known, id }: Rule): string[] | null {
  const foreseeable = headers.every(
    (header) => header.length <= LONGEST && known.test(header) && !/\s\s/.test(header),
  );
  if (!foreseeable) return null;
  const ids = headers.map(id);
  return new Set(ids).size === ids.length && !ids.includes('') ? ids : null;
}

/** FASTA text of records, one line each, under these headers. */
export function fastaText(headers: readonly string[], residues: readonly string[]): string {
  return headers.map((header, index) => `>${header}\n${residues[index] ?? ''}\n`).join('');
}
