/**
 * FASTA text and plain sequences: how they are recognised, read, checked and sent, and by which names the results call
 * their records.
 */
import type { InputText } from '../../domain/campaign.ts';
import { formatShown, list } from '../../domain/plain-text.ts';
import { type Finding, createError, createWarning, type Reading } from '../kind.ts';
import type { Predictor, SequenceOptions } from '../vocabulary.ts';

export interface FastaRecord {
  /** The text after the `>`, trimmed. */
  readonly header: string;
  /** The first word of the header: the usual name of the sequence. */
  readonly name: string;
  /** All characters between this header and the next, without spaces and line breaks. */
  readonly residues: string;
}

/** What is wrong with an input, one after another. */
export type Findings = Generator<Finding, void>;

interface Fasta {
  readonly records: readonly FastaRecord[];
  /** True if there is no header at all: one sequence, or not FASTA. */
  readonly plain: boolean;
  readonly findings: readonly Finding[];
}

/** Minimum length that the predictors accept, in residues (measured; the contract does not say). */
export const MINIMUM_RESIDUES = 5;
/** Minimum for early folding (failed at 5; the limit is b2bTools' own), and the predictors that need early folding. */
const FOLDING_RESIDUES = 7;
const NEED_FOLDING: readonly Predictor[] = ['efoldmine', 'disomine', 'agmata'];
/** The limits of psper, in residues. */
const PSPER_RESIDUES = { minimum: 20, maximum: 3000 } as const;
/** Shorter ones may be peptides that consist only of A, C, G, T, N. */
const NUCLEOTIDES_FROM = 20;

export function readFasta(text: string): Fasta {
  const lines = text.split(/\r\n|\n|\r/);
  if (!lines.some((line) => line.startsWith('>'))) {
    const record = { header: '', name: '', residues: text.replace(/\s+/g, '') };
    return { records: [record], plain: true, findings: [] };
  }
  const records: { header: string; parts: string[] }[] = [];
  const findings: Finding[] = [];
  for (const [index, line] of lines.entries()) {
    const current = records.at(-1);
    if (line.startsWith('>')) {
      const header = line.slice(1).trim();
      // The engine silently drops a record without a name.
      if (header === '') findings.push(reportNoName(index + 1));
      records.push({ header, parts: [] });
    } else if (current !== undefined) {
      current.parts.push(line.replace(/\s+/g, ''));
    } else if (line.trim() !== '' && findings.length === 0) {
      const early = createError(
        'SEQUENCE_TEXT_BEFORE_HEADER',
        `There is text before the first header (line ${index + 1}).`,
        'Begin FASTA text with a line `>name`.',
      );
      findings.push(early);
    }
  }
  return {
    records: records.map(({ header, parts }) => ({
      header,
      name: /^\S*/.exec(header)?.[0] ?? '',
      residues: parts.join(''),
    })),
    plain: false,
    findings,
  };
}

function reportNoName(line: number): Finding {
  return createWarning(
    'SEQUENCE_HEADER_EMPTY',
    `The header in line ${line} of the FASTA text has no name; the records are sent under generated names.`,
    'Write a name right after the `>`, so that you can find the record in the results.',
  );
}

/** The stop sign at the end of a translation. */
export const STOP = /\*$/;

/** `id`: the header for a sequence without one. */
export function readSequenceInput(text: string, options: SequenceOptions, id: string): Reading {
  const { records, plain, findings } = readFasta(text);
  const residues = records.map((record) => record.residues.replace(STOP, ''));
  // The engine refuses a sequence without a header; with the id, the result has a name that the user knows.
  const headed = plain ? records.map((record) => ({ ...record, header: id })) : records;
  const { headers, names, renamed } = nameRecords(headed, 'sequence');
  const isChanged = renamed || records.some((record, n) => record.residues !== residues[n]);
  const sent = plain ? `>${id}\n${text.trim()}\n` : text;
  const input: InputText = {
    name: 'input.fasta',
    text: isChanged ? formatFasta(headers, residues) : sent,
    ...(isChanged && { original: { name: 'original.fasta', text } }),
    ...(names && { names }),
  };
  return {
    findings: [
      ...findings,
      ...records.flatMap((record, n) => [...checkSequence(record, residues[n] ?? '', options)]),
      ...findRepeated(records).map((record) =>
        createWarning(
          'SEQUENCE_NAME_REPEATED',
          `Several records are called \`${formatShown(record)}\`; they are sent under generated names.`,
          'Give every record a unique name, so that you can distinguish the results.',
        ),
      ),
    ],
    input,
    // In upper case, as the engine reads it; the names of the records do not affect the values.
    canonical: residues.map((one) => one.toUpperCase()).join('\n'),
  };
}

function* checkSequence(
  { name: record, residues: written }: FastaRecord,
  residues: string,
  { predictors }: SequenceOptions,
): Findings {
  yield* checkResidues(record, residues, residues !== written);
  const { length } = residues;
  if (length === 0) return;
  const hasLength = `${formatRecord(record)} has ${formatCount(length, 'residue')}`;
  if (length < MINIMUM_RESIDUES) {
    yield createError(
      'SEQUENCE_TOO_SHORT',
      `${hasLength}; the predictors need ${MINIMUM_RESIDUES}.`,
      'Give the whole sequence.',
    );
    return;
  }
  const folding = predictors.filter((name) => NEED_FOLDING.includes(name));
  if (folding.length > 0 && length < FOLDING_RESIDUES) {
    yield createError(
      'SEQUENCE_TOO_SHORT_FOR',
      `${hasLength}; ${list(folding)} need${folding.length === 1 ? 's' : ''} ${FOLDING_RESIDUES}.`,
      'Set `predictors` to `dynamine`, or give the whole sequence.',
      { column: 'predictors', value: folding.join(',') },
    );
  }
  const { minimum, maximum } = PSPER_RESIDUES;
  if (predictors.includes('psper') && (length < minimum || length > maximum)) {
    yield createError(
      'SEQUENCE_LENGTH_FOR_PSPER',
      `${hasLength}; \`psper\` takes ${minimum} to ${maximum}.`,
      'Leave `psper` out of `predictors`, or give another sequence.',
      { column: 'predictors', value: 'psper' },
    );
  }
}

export function formatRecord(record: string): string {
  return record === '' ? 'The sequence' : `The sequence \`${formatShown(record)}\``;
}

export function formatCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

export function quote(characters: string): string {
  return [...characters].map((character) => `\`${formatShown(character)}\``).join(' ');
}

/** Checks a record of either kind, by its residues as they are sent, without gaps. */
export function* checkResidues(record: string, residues: string, isStopped: boolean): Findings {
  if (residues === '') {
    yield createError(
      'SEQUENCE_EMPTY',
      `${formatRecord(record)} has no residue.`,
      'Add the residues, or remove the record.',
    );
    return;
  }
  yield* findForeignLetters(record, residues);
  if (!isStopped) return;
  // As X it would be an extra residue at the end of the chain, which the predictors consider.
  yield createWarning(
    'SEQUENCE_STOP_REMOVED',
    `${formatRecord(record)} ends with the stop character \`*\` and is sent without it.`,
    'No action is needed if it ends there; the predictors would read the character as a residue.',
  );
}

/** The names of the records whose header an earlier one has. */
export function findRepeated(records: readonly FastaRecord[]): string[] {
  const places = records.map(({ header }, place) => [header, place] as const);
  const first = new Map(places.toReversed());
  const repeated = records.filter(
    ({ header }, place) => header !== '' && first.get(header) !== place,
  );
  return repeated.map(({ name }) => name);
}

/**
 * The 20 amino acids, in any case. B, J, O, U, X and Z are letters of the code that the predictors read as X; anything
 * else they would silently convert to X, or fail on.
 */
function* findForeignLetters(record: string, residues: string): Findings {
  const letters = new Set(residues.toUpperCase());
  const other = [...letters].filter((letter) => !'ACDEFGHIKLMNPQRSTVWY'.includes(letter)).join('');
  const [foreign, unknown] = [other.replace(/[BJOUXZ]/g, ''), other.replace(/[^BJOUXZ]/g, '')];
  if (foreign !== '') {
    yield createError(
      'SEQUENCE_NOT_RESIDUES',
      `${formatRecord(record)} has characters that are not amino acids: ${quote(foreign)}.`,
      'Remove stops, gaps, digits and other characters; they would be read as unknown residues.',
    );
  }
  if (unknown !== '' && unknown.length === letters.size) {
    yield createError(
      'SEQUENCE_ALL_UNKNOWN',
      `${formatRecord(record)} has no known residue.`,
      'Write the residues: predictions for unknown residues are meaningless.',
    );
  } else if (unknown !== '') {
    yield createWarning(
      'SEQUENCE_UNKNOWN_RESIDUES',
      `${formatRecord(record)} has ${quote(unknown)}, which the predictors read as unknown residues.`,
      'Write the actual residue where it is known.',
    );
  }
  yield* findNucleotides(record, residues, letters);
}

/**
 * No known protein of 20 or more residues consists of all four bases and nothing else. With three bases it may be a
 * repeat; two are glycine and alanine.
 */
function* findNucleotides(
  record: string,
  residues: string,
  letters: ReadonlySet<string>,
): Findings {
  if (residues.length < NUCLEOTIDES_FROM || !/^[ACGTUN]+$/i.test(residues)) return;
  const bases = ['A', 'C', 'G'].filter((base) => letters.has(base)).length;
  if (bases === 3 && (letters.has('T') || letters.has('U'))) {
    yield createError(
      'SEQUENCE_NUCLEOTIDES',
      `${formatRecord(record)} is DNA or RNA.`,
      'Translate it: the predictors would read A, C, G and T as amino acids.',
    );
  } else if (letters.size >= 3) {
    yield createWarning(
      'SEQUENCE_NUCLEOTIDES_DOUBTFUL',
      `${formatRecord(record)} looks like DNA or RNA.`,
      'Check that it is a protein; translate it if not.',
    );
  }
}

/** An alignment keeps `|` and `.`, a list of sequences does not. `known`: headers with a predictable id. */
const RULES = {
  // No `/`: an id may become part of a file name.
  sequence: {
    known: /^[\w\-=;:'"()[\]|,. \t]+$/,
    id: (header: string) => header.replace(/[ \t|,]/g, '_').replaceAll('.', ''),
  },
  alignment: {
    known: /^[\w\-|. ]+$/,
    id: (header: string) => header.replaceAll(' ', '_'),
  },
};

/** The longest header whose id was seen in a result. */
const MAX_SHOWN = 147;

interface RecordNames {
  /** The text after the `>`, record by record. */
  readonly headers: readonly string[];
  /** Id in the results → the user's header, if they differ. */
  readonly names: Readonly<Record<string, string>> | undefined;
  /** The ids in the results. */
  readonly ids: readonly string[];
  /** The headers are generated: an id is not certain, or two are equal. */
  readonly renamed: boolean;
}

export function nameRecords(
  records: readonly Pick<FastaRecord, 'header'>[],
  kind: 'sequence' | 'alignment',
): RecordNames {
  const { known, id } = RULES[kind];
  const written = records.map(({ header }) => header);
  const isForeseeable = written.every(
    (header) => header.length <= MAX_SHOWN && known.test(header) && !/\s\s/.test(header),
  );
  const predicted = written.map(id);
  const isUnique = new Set(predicted).size === predicted.length && !predicted.includes('');
  const renamed = !isForeseeable || !isUnique;
  const ids = renamed ? written.map((_, index) => `seq_${index + 1}`) : predicted;
  const differing = written.flatMap((header, n) => (ids[n] === header ? [] : [[ids[n], header]]));
  const names = Object.fromEntries(differing) as Record<string, string>;
  return {
    headers: renamed ? ids : written,
    names: differing.length === 0 ? undefined : names,
    ids,
    renamed,
  };
}

/** FASTA text of records, one line each, with these headers. */
export function formatFasta(headers: readonly string[], residues: readonly string[]): string {
  return headers.map((header, index) => `>${header}\n${residues[index] ?? ''}\n`).join('');
}

export const FASTA_EXTENSIONS = ['.fasta', '.fa', '.faa', '.fas', '.afa', '.mfa'];
