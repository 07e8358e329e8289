/**
 * Different SMILES like those of a screening library: a scaffold, two side chains and a linker each, numbered, so that
 * every run of a benchmark reads the same ones.
 */

/** Ring systems with two places for a side chain. */
const SCAFFOLDS = [
  (a: string, b: string) => `c1cc(${a})ccc1${b}`,
  (a: string, b: string) => `c1cnc(${a})nc1${b}`,
  (a: string, b: string) => `c1ccc2c(c1)c(${a})cn2${b}`,
  (a: string, b: string) => `O=c1n(${a})c2ccccc2nc1${b}`,
  (a: string, b: string) => `C1CN(${a})CCN1${b}`,
  (a: string, b: string) => `C1C[C@@H](${a})CN1${b}`,
  (a: string, b: string) => `c1sc(${a})nc1${b}`,
  (a: string, b: string) => `c1cc2ncnc(N${a})c2cc1O${b}`,
  (a: string, b: string) => `O=C1N(${a})C(=O)c2cc(${b})ccc12`,
  (a: string, b: string) => `c1[nH]c(${a})nc1${b}`,
  (a: string, b: string) => `C1CCC(O${a})CC1${b}`,
  (a: string, b: string) => `c1cc(${a})c2oc(${b})cc2c1`,
] as const;

const LINKERS = [
  'C', 'CC', 'CCC', 'C(=O)N', 'C(=O)NC', 'CNC(=O)', 'S(=O)(=O)N', 'CO', 'CCO', 'C(=O)', 'C(=O)O', 'CN(C)',
  '[C@H](C)N', '[C@@H](C)C', 'C(=O)N[C@@H](C)', '/C=C/', 'C#C', 'CSC',
] as const; // prettier-ignore

/** Their rings are 5 and 6: the scaffold's 1 and 2 are still open around them. */
const ENDS = [
  'C', 'CC', 'C(C)C', 'C5CC5', 'C5CCCCC5', 'c5ccccc5', 'c5ccc(F)cc5', 'c5ccc(Cl)cc5', 'c5ccc(OC)cc5',
  'c5cccc(C(F)(F)F)c5', 'c5ccncc5', 'c5ccco5', 'c5cccs5', 'c5ccc6OCOc6c5', 'c5c[nH]c6ccccc56', 'C(=O)[O-]',
  'C[NH3+]', 'C(=O)N', 'C(=O)OCC', 'CC#N', 'c5ccc([N+](=O)[O-])cc5', 'c5ccc(Br)cc5', 'C(C)(C)C', 'CN5CCOCC5',
  'c5ccc(S(N)(=O)=O)cc5', 'C5CCN(C)CC5', '[C@@H]5CCCO5', 'c5nnc(C)o5', 'c5ccc(I)cc5', 'CP(=O)(OC)OC',
] as const; // prettier-ignore

/** The number of combinations: 12 scaffolds with (18 linkers x 30 ends) squared. */
const MOST = SCAFFOLDS.length * (LINKERS.length * ENDS.length) ** 2;
/** Coprime with MOST, so that neighbours differ in every part and there are no duplicates. */
const STRIDE = 1_000_003;

export function drugLikeSmiles(count: number): string[] {
  if (count > MOST) throw new RangeError(`there are only ${String(MOST)}`);
  return Array.from({ length: count }, (_, n) => molecule((n * STRIDE) % MOST));
}

function molecule(n: number): string {
  let rest = n;
  const digit = <T>(of: readonly T[]): T => {
    const taken = of[rest % of.length] as T;
    rest = Math.floor(rest / of.length);
    return taken;
  };
  const scaffold = digit(SCAFFOLDS);
  const chain = (): string => digit(LINKERS) + digit(ENDS);
  return scaffold(chain(), chain());
}
