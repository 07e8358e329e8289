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
