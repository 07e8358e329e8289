/**
 * Alignment formats. The service accepts aligned FASTA; Stockholm (Pfam, HMMER) and Clustal, both possibly interleaved,
 * are converted to FASTA; others are only recognised.
 *
 * Own reader, because the existing packages (docs/dependencies.md) skip lines that they do not understand, cut a
 * Clustal row at the width of the first, and match the rows of a block by position instead of name. A sequence would
 * silently be lost or mixed with another.
 */
import type { FastaRecord } from './fasta.ts';
import type { InputFinding } from '../finding.ts';
import { finding } from './problems.ts';

export type AlignmentFormat = 'FASTA' | 'Stockholm' | 'Clustal' | 'PHYLIP' | 'NEXUS' | 'MSF';

/** By the beginning of the text, the only reliable part of a format. */
export function alignmentFormat(text: string): AlignmentFormat {
  const start = text.slice(0, 2000).trimStart();
  if (start.startsWith('>')) return 'FASTA';
  if (/^# ?STOCKHOLM\b/i.test(start)) return 'Stockholm';
  if (/^(CLUSTAL|MUSCLE|PROBCONS|MSAPROBS|Kalign)\b/i.test(start)) return 'Clustal';
  if (/^#NEXUS\b/i.test(start)) return 'NEXUS';
  if (/^(!![AN]A_MULTIPLE|PileUp\b|MSF:)/i.test(start)) return 'MSF';
  if (/^\d+[ \t]+\d+[ \t]*[\r\n]/.test(start)) return 'PHYLIP';
  return 'FASTA';
}

interface AlignmentRows {
  readonly records: readonly FastaRecord[];
  readonly findings: readonly InputFinding[];
}

interface Line {
  readonly words: readonly string[];
  readonly number: number;
}

interface Layout {
  readonly format: 'Stockholm' | 'Clustal';
  /** Why a line cannot be a row; null if it can. */
  wrong(line: Line): string | null;
  /** Lines without sequence. */
  skips(line: string): boolean;
}

const LAYOUTS: Readonly<Record<'Stockholm' | 'Clustal', Layout>> = {
  Stockholm: {
    format: 'Stockholm',
    wrong: ({ words }) => (words.length === 2 ? null : 'it is not a name and a sequence'),
    skips: (line) => line.startsWith('#'),
  },
  Clustal: {
    format: 'Clustal',
    // Some programs add the number of residues so far at the end.
    wrong: ({ words: [, , count, more] }) =>
      more === undefined && (count === undefined || /^\d+$/.test(count))
        ? null
        : 'it is not a name and a sequence',
    // The conservation marks below a block begin with a space.
    skips: (line) => /^[ \t]/.test(line) && /^[ \t*:.]*$/.test(line),
  },
};

export function readAlignmentRows(text: string, format: 'Stockholm' | 'Clustal'): AlignmentRows {
  const lines = text.split(/\r\n|\n|\r/);
  const start = lines.findIndex((line) => line.trim() !== '');
  const body = lines.slice(start + 1);
  if (format === 'Clustal') return readBlocks(body, start + 2, LAYOUTS.Clustal);
  const end = body.findIndex((line) => line.trimEnd() === '//');
  if (end === -1) {
    const facts = { format, line: lines.length, reason: 'the end mark `//` is missing' };
    return { records: [], findings: [finding('ALIGNMENT_MALFORMED', facts)] };
  }
  const count = body.filter((line) => line.trimEnd() === '//').length;
  if (count > 1)
    return { records: [], findings: [finding('ALIGNMENT_SEVERAL', { format, count })] };
  return readBlocks(body.slice(0, end), start + 2, LAYOUTS.Stockholm);
}

/** A name occurs once in each block; blocks are separated by blank lines. */
function readBlocks(lines: readonly string[], from: number, layout: Layout): AlignmentRows {
  const rows = new Map<string, { parts: string[]; line: number }>();
  let block = new Set<string>();
  for (const [index, text] of lines.entries()) {
    const line: Line = { words: text.trim().split(/\s+/), number: from + index };
    const [name = '', residues = ''] = line.words;
    if (name === '') {
      block = new Set();
      continue;
    }
    if (layout.skips(text)) continue;
    const reason =
      layout.wrong(line) ??
      (residues === ''
        ? 'it is not a name and a sequence'
        : block.has(name)
          ? `\`${name.slice(0, 40)}\` is already in this block`
          : null);
    if (reason !== null) {
      const facts = { format: layout.format, line: line.number, reason };
      return { records: [], findings: [finding('ALIGNMENT_MALFORMED', facts)] };
    }
    block.add(name);
    const row = rows.get(name);
    if (row === undefined) rows.set(name, { parts: [residues], line: line.number });
    else row.parts.push(residues);
  }
  const records = [...rows].map(([name, { parts, line }]) => ({
    header: name,
    name,
    residues: parts.join(''),
    line,
  }));
  return { records, findings: [] };
}
