/** What RDKit writes, as data: why it refuses a structure, in words with a position, and drawings. */
import type { Drawing, DrawnLetter, DrawnPath } from '../../domain/chemistry.ts';

/** Converts RDKit's reasons for refusing a SMILES to a chemist's terms, with the position. */

/** Why a text is not a molecule. */
export interface Refused {
  readonly type: 'refused';
  /** Whether the text is not a SMILES, or a SMILES of an impossible molecule. */
  readonly fault: 'syntax' | 'chemistry';
  /** In the text, counted from 1; null if RDKit gives none. */
  readonly position: number | null;
  readonly reason: string;
}

/** Texts for RDKit's reasons, from its message: the first number is the atom. */
const IMPOSSIBLE: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [
    /^Explicit valence for atom # (\d+) (\w+), (\d+),/,
    ([, , symbol, bonds]) => `${String(symbol)} cannot have the valence ${String(bonds)}`,
  ],
  [
    /^Can't kekulize mol\.\s+Unkekulized atoms: (\d+)/,
    () => 'the aromatic ring has no alternating bonds; perhaps a hydrogen is missing, as in [nH]',
  ],
  [
    /^non-ring atom (\d+) marked aromatic/,
    () => 'an aromatic atom, in lower case, is outside a ring',
  ],
];

/** Texts for RDKit's messages about the whole SMILES. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/extra open parenthes/, 'a branch is never closed'],
  [/extra close parenthes/, 'a branch is closed that was not opened'],
  [/unclosed ring/, 'a ring closure has no other end'],
  [/ring closure/, 'a ring closure joins atoms that are bonded already'],
];

/** The most likely cause where RDKit stops, by the text after and before that position. */
const STOPPED_AT: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^$/, /^/, 'it ends too early'],
  [/^\[[^\]]*$/, /^/, 'a bracket is never closed'],
  [/^\]/, /^[^[]*$/, 'a bracket is closed that was not opened'],
  [/^./, /\[[^\]]*$/, 'the bracket does not hold one atom'],
  [/^\(\)|^\)/, /\($/, 'a branch is empty'],
  [/^\(/, /(^|[.(])$/, 'a branch has no atom before it'],
  [/^\($/, /^/, 'a branch is never closed'],
  [/^[-=#:/\\]/, /(^|[.])$/, 'a bond has no atom before it'],
  [/^[-=#:/\\]/, /[-=#:/\\]$/, 'a bond follows a bond'],
  [/^[.)]/, /[-=#:/\\]$/, 'a bond leads nowhere'],
  [/^[-=#:/\\]$/, /^/, 'a bond leads nowhere'],
  [/^\./, /(^|\.)$/, 'a component is empty'],
  [/^\.$/, /^/, 'a component is empty'],
  [/^[\d%]/, /(^|[.(])$/, 'a ring closure has no atom before it'],
  [/^[A-Za-z]/, /^/, 'there is no such atom'],
];

/** `log` is RDKit's output while it read `smiles`. */
export function createRefusal(log: string, smiles: string): Refused {
  const lines = log.split('\n').map((line) => line.replace(/^\[[\d:]+\] /, ''));
  const said = lines[0] ?? '';
  const refuse = (fault: Refused['fault'], position: number | null, reason: string): Refused => {
    return { type: 'refused', fault, position, reason };
  };
  // It reports nothing for some impossible valences.
  if (said === '') return refuse('chemistry', null, 'RDKit rejects it and gives no reason');
  for (const [pattern, describe] of IMPOSSIBLE) {
    const found = pattern.exec(said);
    if (found) return refuse('chemistry', findPosition(smiles, Number(found[1])), describe(found));
  }
  const written = /around position (\d+)/.exec(lines.join('\n'))?.[1];
  const position = written === undefined ? openRing(said, smiles) : Number(written);
  const reason = explainBroken(said, smiles, position);
  return refuse('syntax', position, `${reason}${explainZero(reason, smiles, position)}`);
}

/** `C(=0)0` opens and closes a ring. */
function explainZero(reason: string, smiles: string, position: number | null): string {
  const hasZero = /(?<!%\d?)0/.test(smiles.replace(/\[[^\]]*\]/g, ''));
  const isZero = reason.includes('ring closure') ? hasZero : smiles[(position ?? 0) - 1] === '0';
  return isZero ? '; the digit 0 is perhaps the letter O' : '';
}

/** RDKit numbers the atoms from 0, in written order. */
function findPosition(smiles: string, atom: number): number | null {
  const found = [...smiles.matchAll(/\[[^\]]*\]|Cl|Br|[BCNOPSFIbcnops*]/g)][atom];
  return found ? found.index + 1 : null;
}

/** RDKit does not say which ring. */
function openRing(said: string, smiles: string): number | null {
  if (!said.includes('unclosed ring')) return null;
  const open = new Map<number, number>();
  for (const { 0: token, 1: label, index } of smiles.matchAll(/\[[^\]]*\]|%?(\d\d?|\(\d+\))/g)) {
    const labels = token.startsWith('%') ? [label ?? ''] : [...(label ?? '')];
    for (const [offset, one] of labels.entries()) {
      const number = Number(one.replace(/[()]/g, ''));
      if (!open.delete(number)) open.set(number, index + offset + 1);
    }
  }
  return Math.min(...open.values());
}

function explainBroken(said: string, smiles: string, position: number | null): string {
  const whole = SAID.find(([pattern]) => pattern.test(said));
  if (whole) return whole[1];
  if (position === null) return `RDKit says: ${said.trim()}`;
  const rest = smiles.slice(position - 1);
  const before = smiles.slice(0, position - 1);
  const found = STOPPED_AT.find(([at, after]) => at.test(rest) && after.test(before));
  return found?.[2] ?? `${JSON.stringify(rest.slice(0, 1))} has no meaning here`;
}

/**
 * Converts RDKit's SVG to data. It has only a few element types (paths and single letters); anything else, and anything
 * except numbers and colours, is left out: no input can reach a page as markup.
 */

/** For `get_svg_with_highlights`. Letters as text: their outlines would be half of the data. */
export const DRAWING_OPTIONS = JSON.stringify({
  // As large as the molecule.
  width: -1,
  height: -1,
  scalingFactor: 36,
  noFreetype: true,
  clearBackground: false,
  maxFontSize: 17,
  bondLineWidth: 1.5,
  addStereoAnnotation: false,
  // Atoms of a molecule with unknown bond orders would have them.
  includeRadicals: false,
});

const SIZE = /\bviewBox='0 0 (\d+) (\d+)'/;
const ELEMENT = /<(path|text)\s([^>]*?)\/?>(?:([^<]*)<\/text>)?/g;
const FILL = /\bfill(?::|=')(#[0-9A-Fa-f]{6})/;
const STROKE = /\bstroke:(#[0-9A-Fa-f]{6})/;
const PATH = /^[MLQCZ0-9.,\s-]+$/;
const LETTER = /^[A-Za-z0-9+\-*?]$/;

export function parseDrawing(svg: string): Drawing {
  const paths: DrawnPath[] = [];
  const letters: DrawnLetter[] = [];
  for (const [, name, attributes = '', text = ''] of svg.matchAll(ELEMENT)) {
    const letter = name === 'text' ? readLetter(attributes, text) : null;
    if (letter !== null) letters.push(letter);
    const path = name === 'path' ? readPath(attributes) : null;
    const last = paths.at(-1);
    if (path === null) continue;
    // Consecutive lines of one style become one path.
    if (last?.colour === path.colour && last.line === path.line) {
      paths[paths.length - 1] = { ...path, d: last.d + path.d };
    } else paths.push(path);
  }
  const [, width = 0, height = 0] = SIZE.exec(svg)?.map(Number) ?? [];
  return { width, height, paths, letters };
}

function readPath(attributes: string): DrawnPath | null {
  const d = /\bd='([^']*)'/.exec(attributes)?.[1] ?? '';
  if (!PATH.test(d)) return null;
  const fill = FILL.exec(attributes)?.[1];
  if (fill !== undefined) return { d: shortenPath(d), colour: fill, line: null };
  const stroke = STROKE.exec(attributes)?.[1];
  const line = Number(/\bstroke-width:([\d.]+)/.exec(attributes)?.[1]);
  return stroke === undefined || !(line > 0) ? null : { d: shortenPath(d), colour: stroke, line };
}

function readLetter(attributes: string, text: string): DrawnLetter | null {
  const colour = FILL.exec(attributes)?.[1];
  const numbers = [/\bx='(-?[\d.]+)'/, /\by='(-?[\d.]+)'/, /\bfont-size:([\d.]+)/];
  const [x = NaN, y = NaN, size = NaN] = numbers.map((one) => Number(one.exec(attributes)?.[1]));
  const isWhole = [x, y, size].every(Number.isFinite) && LETTER.test(text);
  return isWhole && colour !== undefined ? { x, y, size, colour, text } : null;
}

/** `M177.3 100.7L177.8 101`. */
function shortenPath(d: string): string {
  return d
    .replace(/[\s,]+/g, ' ')
    .replace(/ ?([MLQCZ]) ?/g, '$1')
    .replace(/\.0(?!\d)/g, '')
    .trim();
}
