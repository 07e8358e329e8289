/**
 * SMILES, as far as syntax goes (OpenSMILES specification 1.0): brackets, branches, ring closures, components.
 * Valence, aromaticity and implicit hydrogens need a chemistry toolkit and are not looked at here.
 */
import { elementOf, unsupportedElements } from './element.ts';
import { finding, type Finding } from './finding.ts';
import { ATOM_LIMIT } from './structure.ts';

export interface Smiles {
  /** Symbols of the atoms that are written; implicit hydrogens are not. */
  readonly elements: readonly string[];
  /** Parts that no bond joins. */
  readonly components: number;
  /** Sum of the charges in the brackets, in elementary charges. */
  readonly formalCharge: number;
  readonly findings: readonly Finding[];
}

const TOKEN =
  /\[(?<bracket>[^[\]]*)\]|(?<atom>Cl|Br|[BCNOPSFI]|[bcnops]|\*)|(?<ring>%\d\d|%\(\d{1,5}\)|\d)|(?<bond>[-=#$:/\\~])|(?<mark>[().])/y;

const BRACKET =
  /^\d*(?<symbol>\*|[A-Z][a-z]?|se|as|te|si|[bcnops])(?:@{1,2}(?:(?:TH|AL|SP|TB|OH)\d{1,2})?)?(?:H\d*)?(?<charge>\+\d+|-\d+|\++|-+)?(?::\d+)?$/;

/** The state of one pass over the text. */
class Walk {
  readonly elements: string[] = [];
  formalCharge = 0;
  wildcard: number | null = null;
  /** Positions of the branches that are open. */
  readonly branches: number[] = [];
  /** Ring closures that wait for their other end, and the component that they begin in. */
  readonly rings = new Map<string, { position: number; component: number }>();
  /** Component → the one it was joined to by a ring closure across a dot (`C1.C1` is ethane). */
  readonly joined: number[] = [0];
  /** What stood before: decides what may follow. */
  before: 'start' | 'atom' | 'bond' | 'open' | 'close' = 'start';

  get component(): number {
    return this.joined.length - 1;
  }

  root(component: number): number {
    let root = component;
    for (
      let next = this.joined[root];
      next !== undefined && next !== root;
      next = this.joined[root]
    ) {
      root = next;
    }
    return root;
  }
}

export function readSmiles(text: string): Smiles {
  const walk = new Walk();
  const broken = walkOver(text, walk) ?? atEnd(text, walk);
  const components = new Set(walk.joined.map((_, index) => walk.root(index))).size;
  const result = { elements: walk.elements, components, formalCharge: walk.formalCharge };
  return { ...result, findings: broken !== null ? [broken] : contentFindings(walk, components) };
}

function syntax(position: number, reason: string): Finding {
  return finding('SMILES_SYNTAX', { position, reason });
}

function walkOver(text: string, walk: Walk): Finding | null {
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const position = TOKEN.lastIndex + 1;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return syntax(position, unreadable(text, position));
    const reason = step(walk, groups, position);
    if (reason !== null) return syntax(position, reason);
  }
  return null;
}

function unreadable(text: string, position: number): string {
  const character = text.charAt(position - 1);
  if (/\s/.test(character))
    return 'a blank is no part of a SMILES (a title goes into the column `title`)';
  if (character === '>') return 'it is a reaction, not a molecule';
  if (character === '[') return 'the bracket is never closed';
  if (character === ']') return 'a bracket is closed that was not opened';
  return `the character ${JSON.stringify(character)} has no meaning here`;
}

/** Takes one token; returns what is wrong with it, or null. */
function step(
  walk: Walk,
  groups: Record<string, string | undefined>,
  position: number,
): string | null {
  const { bracket, atom, ring, bond, mark } = groups;
  if (bracket !== undefined) return takeBracket(walk, bracket, position);
  if (atom !== undefined) return takeAtom(walk, atom, position);
  if (ring !== undefined) return takeRing(walk, ring, position);
  if (bond !== undefined) {
    if (walk.before === 'bond') return 'a bond follows a bond';
    if (walk.before === 'start') return 'a bond has no atom before it';
    walk.before = 'bond';
    return null;
  }
  return takeMark(walk, mark ?? '', position);
}

function takeAtom(walk: Walk, symbol: string, position: number): string | null {
  if (symbol === '*') walk.wildcard ??= position;
  else {
    const element = elementOf(symbol);
    if (element === null) return `${symbol} is no chemical element`;
    walk.elements.push(element);
  }
  walk.before = 'atom';
  return null;
}

function takeBracket(walk: Walk, content: string, position: number): string | null {
  const groups = BRACKET.exec(content)?.groups;
  if (groups === undefined) return `[${content}] is no atom`;
  const charge = groups['charge'] ?? '';
  // `+2` and `++` are both two.
  const size = /\d/.test(charge) ? Number(charge.slice(1)) : charge.length;
  walk.formalCharge += charge.startsWith('-') ? -size : size;
  return takeAtom(walk, groups['symbol'] ?? '', position);
}

function takeRing(walk: Walk, label: string, position: number): string | null {
  if (walk.before === 'start' || walk.before === 'open')
    return 'a ring closure has no atom before it';
  const number = String(Number(label.replace(/[%()]/g, '')));
  const open = walk.rings.get(number);
  if (open === undefined) walk.rings.set(number, { position, component: walk.component });
  else {
    walk.rings.delete(number);
    walk.joined[walk.root(walk.component)] = walk.root(open.component);
  }
  walk.before = 'atom';
  return null;
}

function takeMark(walk: Walk, mark: string, position: number): string | null {
  if (walk.before === 'bond') return 'a bond leads nowhere';
  if (mark === '(') {
    if (walk.before === 'start' || walk.before === 'open') return 'a branch has no atom before it';
    walk.branches.push(position);
    walk.before = 'open';
    return null;
  }
  if (walk.before === 'open') return 'a branch is empty';
  if (mark === ')') {
    if (walk.before === 'start' || walk.branches.pop() === undefined) {
      return 'a branch is closed that was not opened';
    }
    walk.before = 'close';
    return null;
  }
  if (walk.before === 'start') return 'a component is empty';
  walk.joined.push(walk.joined.length);
  walk.before = 'start';
  return null;
}

function atEnd(text: string, walk: Walk): Finding | null {
  if (text === '') return syntax(1, 'it is empty');
  const branch = walk.branches.at(-1);
  if (branch !== undefined) return syntax(branch, 'a branch is never closed');
  for (const [label, { position }] of walk.rings) {
    return syntax(position, `ring closure ${label} has no other end`);
  }
  if (walk.before === 'bond') return syntax(text.length, 'a bond leads nowhere');
  if (walk.before === 'start') return syntax(text.length, 'a component is empty');
  return null;
}

function contentFindings(walk: Walk, components: number): Finding[] {
  const findings: Finding[] = [];
  if (components > 1) findings.push(finding('SMILES_SEVERAL_COMPONENTS', { components }));
  if (walk.wildcard !== null)
    findings.push(finding('SMILES_WILDCARD', { position: walk.wildcard }));
  const atoms = walk.elements.length;
  if (atoms > ATOM_LIMIT) {
    findings.push(finding('MOLECULE_TOO_MANY_ATOMS', { atoms, atLeast: true, limit: ATOM_LIMIT }));
  }
  const elements = unsupportedElements(walk.elements);
  if (elements.length > 0) findings.push(finding('MOLECULE_ELEMENT_UNSUPPORTED', { elements }));
  return findings;
}

/**
 * A net charge that is not the one the SMILES says. With `gas` the engine ignores it and reports success
 * with the wrong total (measured); with `bcc` the quantum step mostly fails by itself.
 */
export function checkNetCharge(
  smiles: Smiles,
  netCharge: number | null,
  chargeMethod: 'bcc' | 'gas',
): Finding[] {
  if (netCharge === null || netCharge === smiles.formalCharge) return [];
  const facts = { formal: smiles.formalCharge, given: netCharge };
  return [
    chargeMethod === 'gas'
      ? finding('SMILES_CHARGE_IGNORED', facts)
      : finding('SMILES_CHARGE_DIFFERS', facts),
  ];
}
