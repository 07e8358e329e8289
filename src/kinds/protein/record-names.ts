/**
 * Predicts the ids of the records of a FASTA text in the results, which are derived from the headers: the tables must
 * show the user's names.
 *
 * The rules were derived from the engine's results for awkward headers (test/kinds/protein/answer-key.test.ts). If a
 * header has another form, the records are sent under generated names (`seq_1`, `seq_2`, …). Rejected: to generate them
 * always, so that the received files would not show the user's names.
 */
import type { FastaRecord } from './fasta.ts';

interface RecordNames {
  /** The text after the `>`, record by record. */
  readonly headers: readonly string[];
  /** Id in the results → the user's header, if they differ. */
  readonly names: Readonly<Record<string, string>> | undefined;
  /** The ids in the results. */
  readonly ids: readonly string[];
  /** True if the headers are generated. */
  readonly renamed: boolean;
}

interface Rule {
  /** Headers with a predictable id. No `/`: an id may become part of a file name. */
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

/** The longest header whose id was seen in a result. */
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

/** @returns null if one of them is not certain, or if two are equal */
function resultIds(headers: readonly string[], { known, id }: Rule): string[] | null {
  const foreseeable = headers.every(
    (header) => header.length <= LONGEST && known.test(header) && !/\s\s/.test(header),
  );
  if (!foreseeable) return null;
  const ids = headers.map(id);
  return new Set(ids).size === ids.length && !ids.includes('') ? ids : null;
}

/** FASTA text of records, one line each, with these headers. */
export function fastaText(headers: readonly string[], residues: readonly string[]): string {
  return headers.map((header, index) => `>${header}\n${residues[index] ?? ''}\n`).join('');
}
