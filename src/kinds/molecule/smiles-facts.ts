/** Reads facts from a SMILES written by RDKit: it is valid, and each atom outside brackets has no open valence. */
import type { SmilesFacts } from './chemist.ts';
import { elementOf } from './element.ts';
import { ATOM_LIMIT } from './structure.ts';

/** Isotope, symbol, chirality, hydrogens, charge, class. */
const BRACKET = /\[\d*(\*|[A-Za-z][a-z]?)(?:@+(?:[A-Z]{2}\d+)?)?(H\d*)?([-+]\d*)?(?::\d+)?\]/y;
/** From the extension: `|^1:0,3,^2:5|`, atom indexes by type of radical. */
const RADICALS = /\^\d:(\d+(?:,\d+)*)/g;

interface WrittenFacts {
  readonly facts: SmilesFacts;
  readonly heavyAtoms: number;
  /** Hydrogens as separate atoms, and those written in the brackets of another. */
  readonly hydrogens: {
    readonly atoms: number;
    readonly onCarbon: number;
    readonly onOthers: number;
  };
}

/**
 * `text` may have RDKit's extension for radicals after a space. Parsed character by character for speed: there are a
 * million of them.
 */
export function factsOf(text: string): WrittenFacts {
  const blank = text.indexOf(' ');
  const canonical = blank < 0 ? text : text.slice(0, blank);
  const symbols = new Set<string>();
  const hydrogens = { atoms: 0, onCarbon: 0, onOthers: 0 };
  let [heavyAtoms, formalCharge, components] = [0, 0, 1];
  for (let index = 0; index < canonical.length; index += 1) {
    const sign = canonical.charAt(index);
    if (sign === '[') {
      BRACKET.lastIndex = index;
      const [bracket = sign, symbol = '', carried = '', charge = ''] =
        BRACKET.exec(canonical) ?? [];
      index += bracket.length - 1;
      symbols.add(symbol);
      if (symbol === 'H') hydrogens.atoms += 1;
      else heavyAtoms += 1;
      const count = carried === '' ? 0 : Number(carried.slice(1) || 1);
      hydrogens[symbol === 'C' || symbol === 'c' ? 'onCarbon' : 'onOthers'] += count;
      if (charge !== '') formalCharge += Number(charge.length > 1 ? charge : `${charge}1`);
    } else if (sign === '.') {
      components += 1;
    } else if ((sign >= 'A' && sign <= 'Z') || (sign >= 'a' && sign <= 'z') || sign === '*') {
      const second = canonical.charAt(index + 1);
      const isTwoLetters = (sign === 'C' && second === 'l') || (sign === 'B' && second === 'r');
      symbols.add(isTwoLetters ? sign + second : sign);
      heavyAtoms += 1;
      if (isTwoLetters) index += 1;
    }
  }
  const wildcard = symbols.delete('*');
  const elements = [...new Set([...symbols].map((symbol) => elementOf(symbol) ?? symbol))];
  const radicals = blank < 0 ? 0 : radicalsIn(text.slice(blank));
  const facts = { canonical, elements, atoms: null, wildcard, formalCharge, radicals, components };
  return { facts: { type: 'molecule', ...facts }, heavyAtoms, hydrogens };
}

function radicalsIn(extension: string): number {
  const lists = [...extension.matchAll(RADICALS)].map(([, atoms = '']) => atoms.split(','));
  return lists.flat().length;
}

/**
 * Whether its atoms must be counted one by one. n atoms outside of brackets, with at most four bonds each, have at most
 * 2 n + 2 hydrogens per component, which keeps nearly all molecules of a library below the limit.
 */
export function needsCounting({ facts, heavyAtoms, hydrogens }: WrittenFacts): boolean {
  const most = 3 * heavyAtoms + 2 * facts.components + hydrogenCount(hydrogens);
  return heavyAtoms <= 1 || most > ATOM_LIMIT;
}

export function hydrogenCount({ atoms, onCarbon, onOthers }: WrittenFacts['hydrogens']): number {
  return atoms + onCarbon + onOthers;
}
