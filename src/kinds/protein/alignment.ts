/**
 * Multiple sequence alignments (contract of the prediction service, 4.2): two or more sequences, padded with `-` to one
 * length. They are sent as aligned FASTA; other formats and gap characters are converted, and the original is kept.
 */
import type { InputText } from '../../domain/campaign.ts';
import { formatShown } from '../../domain/plain-text.ts';
import { type Finding, createError, createWarning, type Reading } from '../kind.ts';
import {
  checkResidues,
  type FastaRecord,
  type Findings,
  formatCount,
  formatFasta,
  formatRecord,
  findRepeated,
  MINIMUM_RESIDUES,
  nameRecords,
  quote,
  readFasta,
  STOP,
} from './fasta.ts';
import { recogniseShifts } from './shifts-input.ts';

const GAP = '-';
/** Gaps as written by Stockholm, A2M and GCG. The engine would read each as an unknown residue (measured). */
const OTHER_GAPS = /[.~_]/g;

/** The input of the kind `alignment`. */
export function readAlignmentInput(text: string): Reading {
  const format = detectFormat(text);
  const { records, findings } = readRows(text, format);
  if (records.length < 2) {
    // With one sequence the engine succeeds, but the result is meaningless; the service answers 400.
    const few = createError(
      'ALIGNMENT_TOO_FEW_ROWS',
      `An alignment needs at least two FASTA records; there ${records.length === 1 ? 'is' : 'are'} ${records.length}.`,
      'Add sequences, or set `kind` to `sequence`.',
    );
    const isRead = records.length > 0 || findings.length === 0;
    return { findings: isRead ? [...findings, few] : findings, input: null, canonical: '' };
  }
  const { headers, ids, names, renamed } = nameRecords(records, 'alignment');
  // Of translations, each row ends with a stop sign.
  const isStopped = records.every((record) => STOP.test(record.residues));
  const residues = records.map((record) =>
    record.residues.replace(OTHER_GAPS, GAP).replace(isStopped ? STOP : '', ''),
  );
  const converted =
    renamed || format !== 'FASTA' || records.some((record, n) => record.residues !== residues[n]);
  const input: InputText = {
    name: 'input.fasta',
    text: converted ? formatFasta(headers, residues) : text,
    ...(converted && { original: { name: `original${EXTENSIONS[format] ?? ''}`, text } }),
    ...(names && { names }),
  };
  const upper = residues.map((row) => row.toUpperCase());
  return {
    findings: [...findings, ...checkRows(records, residues)],
    input,
    canonical: formatFasta(ids, upper).trimEnd(),
  };
}

/** @param residues of the records, with `-` for every gap */
function checkRows(records: readonly FastaRecord[], residues: readonly string[]): Finding[] {
  const expected = residues[0]?.length ?? 0;
  const findings = [
    ...findRepeated(records).map((record) =>
      createWarning(
        'ALIGNMENT_NAME_REPEATED',
        `Several sequences are called \`${formatShown(record)}\`; they are sent under generated names.`,
        'Give every sequence a unique name; remove duplicates.',
      ),
    ),
    ...records.flatMap((record, n) => [...checkRow(record, residues[n] ?? '', expected)]),
  ];
  // Reported only if there are no other findings: broken alignments have such columns for other reasons.
  return findings.length === 0 ? [...findEmptyColumns(residues, expected)] : findings;
}

function* checkRow(
  { name: record, residues: written }: FastaRecord,
  residues: string,
  expected: number,
): Findings {
  const { length } = residues;
  if (length !== expected) {
    yield createError(
      'ALIGNMENT_UNEQUAL',
      `${formatRecord(record)} has ${formatCount(length, 'column')}, but the first one has ${expected}.`,
      'Align the sequences and pad them with `-` to the same length.',
    );
  }
  const characters = [...new Set(written.match(OTHER_GAPS))].join('');
  if (characters !== '') {
    yield createWarning(
      'ALIGNMENT_GAP_CHARACTER',
      `${formatRecord(record)} has gaps written as ${quote(characters)}; they are sent as \`-\`.`,
      'No action is needed if they are gaps.',
    );
  }
  const filled = residues.replaceAll(GAP, '');
  yield* checkResidues(record, filled, STOP.test(written) && !STOP.test(residues));
  if (filled.length > 0 && filled.length < MINIMUM_RESIDUES) {
    yield createError(
      'ALIGNMENT_ROW_SHORT',
      `${formatRecord(record)} has ${formatCount(filled.length, 'residue')} without gaps; below ${MINIMUM_RESIDUES} the whole job fails.`,
      'Remove the sequence from the alignment.',
    );
  }
}

/** In which no sequence has a residue: harmless, and usually left over from removed sequences. */
function* findEmptyColumns(rows: readonly string[], width: number): Findings {
  const columns = Array.from({ length: width }, (_, column) => column);
  const empty = columns.filter((column) => rows.every((row) => row[column] === GAP)).length;
  if (empty === 0) return;
  yield createWarning(
    'ALIGNMENT_EMPTY_COLUMNS',
    `${formatCount(empty, 'column')} of the alignment contain${empty === 1 ? 's' : ''} only gaps.`,
    'Remove empty columns; the results will have no values there.',
  );
}

/** Format → how its text begins. The last three are recognised, but not read. */
const BEGINNINGS = {
  Stockholm: /^# ?STOCKHOLM\b/i,
  Clustal: /^(CLUSTAL|MUSCLE|PROBCONS|MSAPROBS|Kalign)\b/i,
  NEXUS: /^#NEXUS\b/i,
  MSF: /^(!![AN]A_MULTIPLE|PileUp\b|MSF:)/i,
  PHYLIP: /^\d+[ \t]+\d+[ \t]*[\r\n]/,
} as const;

type Format = keyof typeof BEGINNINGS | 'FASTA' | 'A3M';

/** Of the formats that are read. */
const EXTENSIONS: Readonly<Partial<Record<Format, string>>> = {
  FASTA: '.fasta',
  A3M: '.a3m',
  Stockholm: '.sto',
  Clustal: '.aln',
};

/** By the beginning of the text, the only reliable part of a format; A3M is FASTA but for its insertions. */
export function detectFormat(text: string): Format {
  const start = text.slice(0, 2000).trimStart();
  if (start.startsWith('>') || A3M_COMMENT.test(start)) return isA3m(text) ? 'A3M' : 'FASTA';
  const found = Object.entries(BEGINNINGS).find(([, beginning]) => beginning.test(start));
  return (found?.[0] as Format | undefined) ?? 'FASTA';
}

interface AlignmentRows {
  /** None if the findings say that it cannot be read. */
  readonly records: readonly FastaRecord[];
  readonly findings: readonly Finding[];
}

export function readRows(text: string, format: Format): AlignmentRows {
  if (format === 'FASTA') {
    const { records, plain, findings } = readFasta(text);
    return { records: plain ? [] : records, findings };
  }
  if (format === 'A3M') return readA3m(text);
  if (format === 'Stockholm' || format === 'Clustal') return readBlocks(text, format);
  const foreign = createError(
    'ALIGNMENT_NOT_FASTA',
    `The alignment is in ${format} format.`,
    'Convert it to aligned FASTA, A3M, Stockholm or Clustal.',
  );
  return { records: [], findings: [foreign] };
}

/** `#A3M#` of HH-suite; the lengths and numbers of copies of ColabFold. */
const A3M_COMMENT = /^#(A3M#|\d+[\d,]*\t\d+[\d,]*)[ \t]*[\r\n]+>/;
/** Records of HH-suite that are no sequences: predicted secondary structure and its confidence. */
const NO_SEQUENCE = /^(ss_pred|ss_conf|ss_dssp|sa_dssp|sa_pred)\b/;

/** Rows of unequal length that become equal without their lower-case residues, of which the first row has none. */
function isA3m(text: string): boolean {
  const [first, ...others] = readA3mRecords(text).map(({ residues }) => residues);
  if (first === undefined || /[a-z]/.test(first)) return false;
  return (
    others.some(({ length }) => length !== first.length) &&
    others.every((residues) => removeInsertions(residues).length === first.length)
  );
}

function readA3mRecords(text: string): readonly FastaRecord[] {
  const { records } = readFasta(text.replace(/^\s*#[^\r\n]*/, ''));
  return records.filter(({ header }) => !NO_SEQUENCE.test(header));
}

function removeInsertions(residues: string): string {
  return residues.replace(/[a-z.]/g, '');
}

function readA3m(text: string): AlignmentRows {
  const written = readA3mRecords(text);
  const records = written.map((record) => ({
    ...record,
    residues: removeInsertions(record.residues),
  }));
  const count = written.reduce((sum, one) => sum + one.residues.replace(/[^a-z]/g, '').length, 0);
  const removed = createWarning(
    'ALIGNMENT_INSERTIONS_REMOVED',
    `The alignment is in A3M format: ${formatCount(count, 'residue')} in lower case, which the first sequence does not have, ${count === 1 ? 'is' : 'are'} left out.`,
    'No action is needed: the results follow the columns of the first sequence. To keep them, convert it to aligned FASTA (reformat.pl a3m fas).',
  );
  return { records, findings: [removed] };
}

function reportSeveral(count: number): Finding {
  return createError(
    'ALIGNMENT_SEVERAL',
    `The Stockholm file contains ${count} alignments.`,
    'Give each its own file and row.',
  );
}

/** A name occurs once in each block; blocks are separated by blank lines. */
function readBlocks(text: string, format: 'Stockholm' | 'Clustal'): AlignmentRows {
  const lines = text.split(/\r\n|\n|\r/);
  const start = lines.findIndex((line) => line.trim() !== '') + 1;
  const refuse = (line: number, reason: string): AlignmentRows => {
    const malformed = createError(
      'ALIGNMENT_MALFORMED',
      `Line ${line} is not valid ${format}: ${formatShown(reason)}.`,
      'Export the file again with the program that made it; it may be truncated.',
    );
    return { records: [], findings: [malformed] };
  };
  let end = lines.length;
  if (format === 'Stockholm') {
    const ends = lines.flatMap((line, n) => (line.trimEnd() === '//' ? [n] : []));
    if (ends.length === 0) return refuse(lines.length, 'the end mark `//` is missing');
    if (ends.length > 1) return { records: [], findings: [reportSeveral(ends.length)] };
    end = ends[0] ?? end;
  }
  const rows = new Map<string, string[]>();
  let block = new Set<string>();
  for (const [index, line] of lines.slice(start, end).entries()) {
    const [name = '', residues = '', count, more] = line.trim().split(/\s+/);
    if (name === '') {
      block = new Set();
      continue;
    }
    // The conservation marks of Clustal, below a block, begin with a space.
    if (format === 'Stockholm' ? line.startsWith('#') : /^[ \t][ \t*:.]*$/.test(line)) continue;
    // Some programs add the number of residues so far at the end of a row of Clustal.
    const isRow = count === undefined || (format === 'Clustal' && /^\d+$/.test(count));
    const number = start + index + 1;
    if (residues === '' || !isRow || more !== undefined) {
      return refuse(number, 'it is not a name and a sequence');
    }
    if (block.has(name)) return refuse(number, `\`${name.slice(0, 40)}\` is already in this block`);
    block.add(name);
    const row = rows.get(name);
    if (row === undefined) rows.set(name, [residues]);
    else row.push(residues);
  }
  const records = Array.from(rows, ([name, parts]) => ({
    header: name,
    name,
    residues: parts.join(''),
  }));
  return { records, findings: [] };
}

/** Of Stockholm, Clustal and A3M files. */
export const ALIGNMENT_EXTENSIONS = [
  ...['.sto', '.stk', '.stockholm'],
  ...['.aln', '.clustal', '.clw', '.a3m', '.a2m'],
];

/** For the two recognisers: a text says why it is unclear. */
type Recognised = boolean | string;

export function recogniseSequence(text: string): Recognised {
  if (recogniseShifts(text)) return false;
  if (!text.includes('>') && !/^[a-z*\s]*$/i.test(text)) return false;
  const found = recogniseAlignment(text);
  return typeof found === 'string' ? found : !found;
}

export function recogniseAlignment(text: string): Recognised {
  // Aligners use many different file names.
  if (detectFormat(text) !== 'FASTA') return true;
  const { records } = readFasta(text);
  if (records.length < 2) return false;
  // Several records of one length with gaps: nothing else looks like this.
  const isAligned =
    new Set(records.map(({ residues }) => residues.length)).size === 1 &&
    records.some(({ residues }) => /[-.~]/.test(residues));
  return isAligned || `${records.length} FASTA records may be an alignment or several sequences`;
}
