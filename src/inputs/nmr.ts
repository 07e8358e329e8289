/**
 * Files of NMR chemical shifts: NEF 1.1 and NMR-STAR (3, and 2.1 of old entries), all dialects of STAR. Told apart by their content,
 * as the service does (contract of the prediction service, 4.3): the extension says nothing.
 */
import { finding, type Finding } from './finding.ts';
import type { Reading } from './reading.ts';

export type ShiftFormat = 'nef' | 'star';

export interface Shifts {
  /** Null when it is neither. */
  readonly format: ShiftFormat | null;
  /** Rows of all loops that hold chemical shifts. */
  readonly shifts: number;
  readonly findings: readonly Finding[];
}

/** The input of the kind `shifts`. */
export function readShiftsInput(text: string): Reading {
  const { format, findings } = readShifts(text);
  // The engine goes by the extension, the service by the content: both agree when the name does.
  const name = format === 'nef' ? 'input.nef' : 'input.str';
  return { findings, input: { name, text }, canonical: text.replace(/\r\n?/g, '\n').trimEnd() };
}

const SHIFT_VALUE: Readonly<Record<ShiftFormat, RegExp>> = {
  nef: /^_nef_chemical_shift\.value$/i,
  star: /^_(Atom_chem_shift\.Val|Chem_shift_value)$/i,
};

export function readShifts(text: string): Shifts {
  const format = formatOf(text);
  if (format === null) {
    return { format, shifts: 0, findings: [finding('SHIFTS_FORMAT_UNKNOWN', {})] };
  }
  const shifts = countShifts(text, SHIFT_VALUE[format]);
  // Without shifts ShiftCrypt ends well and gives -10 for every residue (measured).
  const name = format === 'nef' ? 'NEF' : 'NMR-STAR';
  return {
    format,
    shifts,
    findings: shifts > 0 ? [] : [finding('SHIFTS_NO_LOOP', { format: name })],
  };
}

/** A tag that every file of the dialect has, and no mmCIF. */
const MARKS: Readonly<Record<ShiftFormat, RegExp>> = {
  nef: /^\s*_nef_\w+\./im,
  star: /^\s*_(?:(?:Entry|Entity|Assembly|Assigned_chem_shift_list|Atom_chem_shift)\.\w+|NMR_STAR_version|Saveframe_category|Chem_shift_value)\b/im,
};

function formatOf(text: string): ShiftFormat | null {
  if (!/^\s*data_\S/im.test(text)) return null;
  if (MARKS.nef.test(text)) return 'nef';
  return MARKS.star.test(text) ? 'star' : null;
}

/** Counts the data lines of the loops in which one of the tags matches; a row is a line in both formats' practice. */
function countShifts(text: string, tag: RegExp): number {
  let count = 0;
  let state: 'outside' | 'tags' | 'rows' = 'outside';
  let holdsShifts = false;
  for (const raw of text.split(/\r\n|\n|\r/)) {
    const line = raw.trim();
    if (/^loop_/i.test(line)) {
      state = 'tags';
      holdsShifts = false;
    } else if (/^(stop_|save_)/i.test(line)) {
      state = 'outside';
    } else if (state === 'tags' && line.startsWith('_')) {
      holdsShifts ||= tag.test(line);
    } else if (state !== 'outside' && line !== '' && !line.startsWith('#')) {
      state = 'rows';
      if (holdsShifts) count += 1;
    }
  }
  return count;
}
