/** RDKit in the page, if the report was written with it: finds the molecules that contain a substructure. */
import type { Structures } from '../data.ts';
import { ELEMENT } from '../data.ts';
import { embeddedBytes, embeddedText } from '../embedded.ts';

interface Molecule {
  get_substruct_match(query: Molecule): string;
  delete(): void;
}

interface Library {
  get_mol(smiles: string): Molecule | null;
  get_qmol(smarts: string): Molecule | null;
}

type Start = (options: {
  /** Instead of fetching the program. */
  readonly instantiateWasm: (
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance) => void,
  ) => void;
}) => Promise<Library>;

export function hasSubstructures(): boolean {
  return document.getElementById(ELEMENT.rdkit) !== null;
}

let library: Promise<Library> | null = null;

/** The script is allowed by its digest, like the viewer's. */
async function loadLibrary(): Promise<Library> {
  const [script, program] = await Promise.all([
    embeddedText(ELEMENT.rdkit),
    embeddedBytes(ELEMENT.rdkitWasm),
  ]);
  const element = document.createElement('script');
  element.textContent = script;
  document.head.append(element);
  const start = (window as { initRDKitModule?: Start }).initRDKitModule;
  if (start === undefined) throw new Error('RDKit did not start.');
  const module = await WebAssembly.compile(program);
  return start({
    instantiateWasm: (imports, receive) => {
      void WebAssembly.instantiate(module, imports).then(receive);
    },
  });
}

/** Molecules processed before the page may handle events again. */
const AT_ONCE = 100;

/** The indexes of the molecules that contain it; null if the SMARTS is invalid. `cancelled` is checked regularly. */
export async function holding(
  { smiles }: Structures,
  smarts: string,
  cancelled: () => boolean,
): Promise<ReadonlySet<number> | null> {
  library ??= loadLibrary();
  const rdkit = await library;
  const query = rdkit.get_qmol(smarts);
  if (query === null) return null;
  const found = new Set<number>();
  for (const [place, one] of smiles.entries()) {
    if (place % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
    if (cancelled()) break;
    const molecule = rdkit.get_mol(one);
    if (molecule !== null && molecule.get_substruct_match(query) !== '{}') found.add(place);
    molecule?.delete();
  }
  query.delete();
  return found;
}
