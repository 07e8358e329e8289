/** The elements of a topology's atoms, and their formula. */

/**
 * Atomic masses in u as in the GAFF and AMBER parameter files (gaff2.dat), for the elements that the service accepts,
 * and silicon, which the engine guesses.
 */
const MASSES: readonly (readonly [element: string, mass: number])[] = [
  ...([
    ['H', 1.008],
    ['C', 12.01],
    ['N', 14.01],
    ['O', 16],
    ['F', 19],
    ['Si', 28.085],
  ] as const),
  ...([
    ['P', 30.97],
    ['S', 32.06],
    ['Cl', 35.45],
    ['Br', 79.9],
    ['I', 126.9],
  ] as const),
];

/** Far below the difference of any two of them, far above the rounding of the files. */
const TOLERANCE = 0.2;

/**
 * The mass takes precedence: the name of an alpha carbon is `CA`, and the engine's PDB file calls a silicon `S`.
 * @param mass in u; 0 if the file has none
 * @param symbol of the coordinate file, in any case; '' if it has none
 * @param name of the atom, `CL1`
 */
export function elementOfAtom(mass: number, symbol: string, name: string): string {
  const heavy = MASSES.find(([, known]) => Math.abs(known - mass) <= TOLERANCE);
  if (heavy !== undefined) return heavy[0];
  const letters = (/^[A-Za-z]{1,2}$/.exec(symbol) ?? /^[A-Za-z]+/.exec(name))?.[0] ?? '';
  const halogen = /^(?:cl|br)/i.exec(letters)?.[0];
  const text = halogen ?? (symbol === letters ? letters : letters.slice(0, 1));
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

/** In Hill order: carbon, hydrogen, then alphabetically; without carbon all alphabetically. */
export function hillFormula(elements: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
  const first = counts.has('C') ? ['C', 'H'].filter((element) => counts.has(element)) : [];
  const others = [...counts.keys()].filter((element) => !first.includes(element)).sort();
  return [...first, ...others]
    .map((element) => `${element}${counts.get(element) === 1 ? '' : String(counts.get(element))}`)
    .join('');
}
