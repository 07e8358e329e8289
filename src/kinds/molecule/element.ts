/** Chemical elements, as the formats of molecules write them; their masses, and formulas. */

/** In the order of their atomic numbers. */
const ORDERED = (
  'H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr ' +
  'Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb ' +
  'Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf ' +
  'Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og'
).split(' ');

/**
 * Of the elements with parameters in GAFF, GAFF2 and AM1-BCC (ACPYPE manual), and of silicon, which the engine guesses: the
 * mass in u as in gaff2.dat, the covalent radius in ångström (Cordero et al. 2008, doi:10.1039/b801115j), and the most bonds.
 */
const FACTS: Readonly<Record<string, readonly [mass: number, radius: number, bonds: number]>> = {
  H: [1.008, 0.31, 1],
  C: [12.01, 0.76, 4],
  N: [14.01, 0.71, 4],
  O: [16, 0.66, 3],
  F: [19, 0.57, 1],
  Si: [28.085, NaN, 0],
  P: [30.97, 1.07, 5],
  S: [32.06, 1.05, 6],
  Cl: [35.45, 1.02, 4],
  Br: [79.9, 1.2, 1],
  I: [126.9, 1.39, 1],
};

/** NaN for an element that the service does not accept. */
export function readCovalentRadius(symbol: string): number {
  return FACTS[symbol]?.[1] ?? NaN;
}

export function readMaxBonds(symbol: string): number {
  return FACTS[symbol]?.[2] ?? 0;
}

export const HALOGENS: ReadonlySet<string> = new Set(['F', 'Cl', 'Br', 'I']);

/** The symbol in its usual spelling (`CL` and `cl` are `Cl`, `D` is hydrogen), or null if it is not an element. */
export function parseElement(text: string): string | null {
  const symbol = toCapitalised(text.trim());
  if (symbol === 'D' || symbol === 'T') return 'H';
  return ORDERED.includes(symbol) ? symbol : null;
}

function toCapitalised(letters: string): string {
  return letters.slice(0, 1).toUpperCase() + letters.slice(1).toLowerCase();
}

/** Of a symbol in its usual spelling. */
export function readAtomicNumber(symbol: string): number {
  return ORDERED.indexOf(symbol) + 1;
}

/** Symbol by atomic number; `*` for 0, which is any atom. */
export function findElement(number: number): string {
  return ORDERED[number - 1] ?? '*';
}

/** The elements of the list without parameters in the force fields, each once. */
export function listUnsupportedElements(elements: Iterable<string>): string[] {
  return [...new Set(elements)].filter((element) => element === 'Si' || !(element in FACTS));
}

/** Far below the difference of any two of them, far above the rounding of the files. */
const TOLERANCE = 0.2;

/**
 * The mass takes precedence: the name of an alpha carbon is `CA`, and the engine's PDB file calls a silicon `S`.
 * @param mass in u; 0 if the file has none
 * @param symbol of the coordinate file, in any case; '' if it has none
 * @param name of the atom, `CL1`
 */
export function inferElement(mass: number, symbol: string, name: string): string {
  const heavy = Object.entries(FACTS).find(([, [known]]) => Math.abs(known - mass) <= TOLERANCE);
  if (heavy !== undefined) return heavy[0];
  const letters = (/^[A-Za-z]{1,2}$/.exec(symbol) ?? /^[A-Za-z]+/.exec(name))?.[0] ?? '';
  const halogen = /^(?:cl|br)/i.exec(letters)?.[0];
  return toCapitalised(halogen ?? (symbol === letters ? letters : letters.slice(0, 1)));
}

/** In Hill order: carbon, hydrogen, then alphabetically; without carbon all alphabetically. */
export function computeHillFormula(elements: readonly string[]): string {
  const counts = Object.entries(Object.groupBy(elements, (element) => element));
  const rank = (element: string): string =>
    elements.includes('C') ? element.replace(/^C$/, ' ').replace(/^H$/, '!') : element;
  return counts
    .map(([element, of = []]) => ({ element, count: of.length }))
    .sort((one, other) => (rank(one.element) < rank(other.element) ? -1 : 1))
    .map(({ element, count }) => `${element}${count === 1 ? '' : String(count)}`)
    .join('');
}
