/** Matches the atoms of two molecules: prepares both as graphs of labelled nodes, in which RDKit searches. */
import type { MainModule as RdkitModule } from '@rdkit/rdkit';
import type { MolecularGraph } from '../../domain/molecular-graph.ts';

/** Some atoms of a molecule. */
export interface Nodes extends MolecularGraph {
  /** By node: only nodes with the same label match. */
  readonly elements: readonly string[];
  /** By node: its index in the molecule. */
  readonly atoms: readonly number[];
}

/**
 * Without twins: atoms with only one neighbour, the same one, and the same label. These are the hydrogens of a methyl
 * group, then the methyl groups of a tert-butyl group. Exchanging them changes nothing but multiplies the matches, so they
 * become part of their neighbour's label. Their neighbour has no configuration.
 */
export function foldTwins(graph: MolecularGraph): Nodes {
  const labels = [...graph.elements];
  const around = neighboursOf(graph);
  const folded = new Set<number>();
  for (;;) {
    const ends = [...labels.keys()].filter((end) => around[end]?.size === 1);
    const groups = Map.groupBy(ends, (end) => `${[...(around[end] ?? [])].join()} ${labels[end]}`);
    const twins = [...groups].filter(([, group]) => group.length > 1);
    if (twins.length === 0) return keepNodes({ ...graph, elements: labels }, folded);
    twins.sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [key, group] of twins) {
      const parent = Number.parseInt(key, 10);
      labels[parent] = `${labels[parent] ?? ''}(${group.length}${key.slice(key.indexOf(' '))})`;
      for (const end of group) {
        around[parent]?.delete(end);
        around[end]?.clear();
        folded.add(end);
      }
    }
  }
}

/**
 * Without the hydrogens that are bonded to one atom of another element.
 * @param counted whether the labels have their number
 */
export function withoutHydrogens(graph: MolecularGraph, counted = false): Nodes {
  const { elements } = graph;
  const labels = [...elements];
  const dropped = new Set<number>();
  for (const [atom, around] of neighboursOf(graph).entries()) {
    const [only = -1, ...more] = around;
    if (elements[atom] !== 'H' || more.length > 0 || (elements[only] ?? 'H') === 'H') continue;
    dropped.add(atom);
    if (counted) labels[only] = `${labels[only] ?? ''}H`;
  }
  return keepNodes({ ...graph, elements: labels }, dropped);
}

function neighboursOf({ elements, bonds }: MolecularGraph): Set<number>[] {
  const around = elements.map(() => new Set<number>());
  for (const [one, other] of bonds) {
    if (one === other) continue;
    around[one]?.add(other);
    around[other]?.add(one);
  }
  return around;
}

/** Bonds stay in their order, to which a configuration refers; each once, because files may list one twice. */
function keepNodes({ elements, bonds }: MolecularGraph, without: ReadonlySet<number>): Nodes {
  const atoms = [...elements.keys()].filter((atom) => !without.has(atom));
  const nodeOf = new Map(atoms.map((atom, node) => [atom, node]));
  const pairs = new Map<string, readonly [number, number]>();
  for (const [one, other] of bonds) {
    const [first, second] = [nodeOf.get(one), nodeOf.get(other)];
    if (first === undefined || second === undefined || first === second) continue;
    const key = `${Math.min(first, second)} ${Math.max(first, second)}`;
    if (!pairs.has(key)) pairs.set(key, [first, second]);
  }
  return {
    elements: atoms.map((atom) => elements[atom] ?? ''),
    bonds: [...pairs.values()],
    atoms,
  };
}

/**
 * The configuration by node: whether its neighbours, in the order of the bonds, are clockwise seen from the first; null
 * if that is open.
 */
export type Turns = readonly (boolean | null)[];

const AS_GIVEN = '{"sanitize":false,"removeHs":false,"assignStereo":false}';

/**
 * Ways to lay all nodes of one molecule on those of the other: by node of the first, the node of the second.
 * @param most at most as many are returned
 * @param turns if given, the configuration matches too; what is open in one of the two matches anything
 */
export function matchNodes(
  rdkit: RdkitModule,
  [one, other]: readonly [Nodes, Nodes],
  most: number,
  turns?: readonly [Turns, Turns],
): readonly (readonly number[])[] {
  const [labels, others] = [one, other].map(({ elements }) => [...elements].sort().join());
  if (labels !== others || one.bonds.length !== other.bonds.length) return [];
  const numbers = new Map([...new Set(one.elements)].map((label, index) => [label, index + 1]));
  const query = rdkit.get_mol(writeJson(one, numbers, turns?.[0]), AS_GIVEN);
  const target = rdkit.get_mol(writeJson(other, numbers, turns?.[1]), AS_GIVEN);
  try {
    if (query === null || target === null) throw new Error('RDKit does not read its own format');
    const options = {
      useChirality: turns !== undefined,
      specifiedStereoQueryMatchesUnspecified: true,
      uniquify: false,
      maxMatches: most,
    };
    const json = target.get_substruct_matches(query, JSON.stringify(options));
    // An empty object if there is none.
    const found = JSON.parse(json === '{}' ? '[]' : json) as { readonly atoms: number[] }[];
    return found.map(({ atoms }) => atoms);
  } finally {
    query?.delete();
    target?.delete();
  }
}

/** RDKit's JSON (CommonChem with RDKit's extensions). A label is an isotope of carbon: it matches no other. */
function writeJson(
  { elements, bonds }: Nodes,
  numbers: ReadonlyMap<string, number>,
  turns: Turns = [],
): string {
  const atoms = elements.map((label, node) => {
    const clockwise = turns[node] ?? null;
    const stereo = clockwise === null ? 'unspecified' : clockwise ? 'cw' : 'ccw';
    return { z: 6, isotope: numbers.get(label) ?? 0, impHs: 0, chg: 0, nRad: 0, stereo };
  });
  const joined = bonds.map((pair) => ({ atoms: pair, bo: 1, stereo: 'unspecified' }));
  return JSON.stringify({ rdkitjson: { version: 11 }, molecules: [{ atoms, bonds: joined }] });
}
