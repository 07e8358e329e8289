/** Chemical elements, as written in the molecule formats. */
/** In the order of their atomic numbers. */
const ORDERED = (
  'H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr ' +
  'Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb ' +
  'Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf ' +
  'Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og'
).split(' ');

const NUMBERS: ReadonlyMap<string, number> = new Map(
  ORDERED.map((symbol, index) => [symbol, index + 1]),
);

/** The elements with parameters in GAFF, GAFF2 and AM1-BCC (ACPYPE manual); others fail or are guessed. */
const PARAMETERISED: ReadonlySet<string> = new Set('H C N O S P F Cl Br I'.split(' '));

export const HALOGENS: ReadonlySet<string> = new Set(['F', 'Cl', 'Br', 'I']);

/** The symbol in its usual spelling (`CL` and `cl` are `Cl`, `D` is hydrogen), or null if it is not an element. */
export function elementOf(text: string): string | null {
  const letters = text.trim();
  const symbol = letters.slice(0, 1).toUpperCase() + letters.slice(1).toLowerCase();
  if (symbol === 'D' || symbol === 'T') return 'H';
  return NUMBERS.has(symbol) ? symbol : null;
}

/** Of a symbol in its usual spelling. */
export function atomicNumber(symbol: string): number {
  const number = NUMBERS.get(symbol);
  if (number === undefined) throw new RangeError(`${symbol} is not an element`);
  return number;
}

/** Symbol by atomic number. */
export function elementOfNumber(number: number): string {
  return ORDERED[number - 1] ?? '*';
}

/** The elements of the list without parameters in the force fields, each once. */
export function unsupportedElements(elements: Iterable<string>): string[] {
  return [...new Set(elements)].filter((element) => !PARAMETERISED.has(element));
}
