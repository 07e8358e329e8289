/** 3Dmol, as far as the page uses it. Its script is in the page, deflated, and is loaded with the first molecule. */
import type { PackedStructure } from '../../../src/kinds/page-data.ts';
import { viewerScript } from '../embedded.ts';
import { signedText } from '../words.ts';

export type Colouring = 'element' | 'charge';
export type Labels = 'none' | 'name' | 'charge';

export interface Viewer {
  show(colouring: Colouring, labels: Labels): void;
  /** Highlights one atom; null for none. */
  mark(atom: number | null): void;
  /** Calls back with the atom under the pointer, or null when it has left the atom. */
  onPoint(choose: (atom: number | null) => void): void;
  turn(degrees: number, axis: 'x' | 'y'): void;
  zoom(factor: number): void;
  reset(): void;
}

/** The parts of 3Dmol's types that are used; importing them would include all of it in the bundle's build. */
interface Library {
  createViewer(element: HTMLElement, config: object): LibraryViewer;
}

interface LibraryViewer {
  addModel(): { addAtoms(atoms: readonly object[]): void };
  setStyle(selection: object, style: object): void;
  setBackgroundColor(colour: string, alpha: number): void;
  addLabel(text: string, options: object): void;
  addSphere(spec: object): unknown;
  removeShape(shape: unknown): void;
  setHoverable(
    selection: object,
    hoverable: boolean,
    enter: (atom: { readonly index: number }) => void,
    leave: () => void,
  ): void;
  removeAllLabels(): void;
  rotate(degrees: number, axis: string): void;
  zoom(factor: number): void;
  zoomTo(): void;
  resize(): void;
  render(): void;
}

let library: Promise<Library> | null = null;

/** The script is allowed by its digest (see the page's Content-Security-Policy), as an inline script. */
async function loadLibrary(): Promise<Library> {
  const script = await viewerScript();
  if (script === null) throw new Error('this report was written without the viewer.');
  const element = document.createElement('script');
  element.textContent = script;
  document.head.append(element);
  const loaded = (window as { $3Dmol?: Library }).$3Dmol;
  if (loaded === undefined) throw new Error('the viewer did not start.');
  return loaded;
}

/** @throws Error with the reason, for users */
export async function openViewer(place: HTMLElement, molecule: PackedStructure): Promise<Viewer> {
  const probe = document.createElement('canvas');
  if (probe.getContext('webgl2') === null && probe.getContext('webgl') === null) {
    throw new Error('this browser has no WebGL.');
  }
  library ??= loadLibrary();
  const viewer = (await library).createViewer(place, { antialias: true, disableFog: true });
  viewer.setBackgroundColor('white', 0);
  const atoms = atomsOf(molecule);
  viewer.addModel().addAtoms(atoms);
  viewer.zoomTo();
  let marked: unknown = null;
  return {
    show: (colouring, labels) => show(viewer, atoms, molecule, colouring, labels),
    mark: (atom) => {
      if (marked !== null) viewer.removeShape(marked);
      const place = atom === null ? undefined : atoms[atom];
      marked = place === undefined ? null : viewer.addSphere(markOf(place));
      viewer.render();
    },
    onPoint: (choose) => {
      viewer.setHoverable(
        {},
        true,
        ({ index }) => choose(index),
        () => choose(null),
      );
      viewer.render();
    },
    turn: (degrees, axis) => {
      viewer.rotate(degrees, axis);
      viewer.render();
    },
    zoom: (factor) => {
      viewer.zoom(factor);
      viewer.render();
    },
    reset: () => {
      viewer.zoomTo();
      viewer.render();
    },
  };
}

function markOf({ x, y, z }: Atom): object {
  return { center: { x, y, z }, radius: 0.62, color: '#e8b92e', opacity: 0.55 };
}

interface Atom {
  readonly elem: string;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

function atomsOf({ elements, places, bonds }: PackedStructure): readonly Atom[] {
  const atoms = elements.map((elem, atom) => ({
    elem,
    serial: atom,
    index: atom,
    hetflag: true,
    x: (places[3 * atom] ?? 0) / 100,
    y: (places[3 * atom + 1] ?? 0) / 100,
    z: (places[3 * atom + 2] ?? 0) / 100,
    bonds: [] as number[],
    bondOrder: [] as number[],
  }));
  const join = (one: number, other: number): void => {
    atoms[one]?.bonds.push(other);
    atoms[one]?.bondOrder.push(1);
  };
  for (let pair = 0; pair < bonds.length; pair += 2) {
    const [one, other] = [bonds[pair] ?? 0, bonds[pair + 1] ?? 0];
    join(one, other);
    join(other, one);
  }
  return atoms;
}

function show(
  viewer: LibraryViewer,
  atoms: readonly Atom[],
  { names, charges }: PackedStructure,
  colouring: Colouring,
  labels: Labels,
): void {
  const most = Math.max(1000, ...charges.map(Math.abs));
  const colour =
    colouring === 'charge'
      ? {
          colorfunc: ({ index }: { index: number }) => chargeColour((charges[index] ?? 0) / most),
        }
      : { colorscheme: ELEMENT_COLOURS };
  viewer.setStyle({}, { stick: { radius: 0.14, ...colour }, sphere: { scale: 0.26, ...colour } });
  viewer.removeAllLabels();
  if (labels !== 'none') {
    for (const [atom, { x, y, z }] of atoms.entries()) {
      const text = labels === 'name' ? (names[atom] ?? '') : chargeText(charges[atom] ?? 0);
      viewer.addLabel(text, { ...LABEL, position: { x, y, z } });
    }
  }
  viewer.render();
}

function chargeText(parts: number): string {
  return signedText(parts / 10_000, 2);
}

const LABEL = {
  fontSize: 12,
  fontColor: 'white',
  backgroundColor: 'black',
  backgroundOpacity: 0.8,
  inFront: true,
};

/** Jmol's, as chemists know them, except carbon and hydrogen, which must be visible on white and on black. */
const ELEMENT_COLOURS = {
  prop: 'elem',
  map: {
    C: 0x8a8a8a,
    H: 0xd9d9d9,
    N: 0x3050f8,
    O: 0xff0d0d,
    S: 0xd9b310,
    P: 0xff8000,
    F: 0x6fc04a,
    Cl: 0x1fb01f,
    Br: 0xa62929,
    I: 0x940094,
  },
};

const NEGATIVE = [213, 94, 0];
const NEUTRAL = [221, 221, 221];
const POSITIVE = [0, 114, 178];

/** −1 vermilion, 0 grey, +1 blue: distinguishable with any colour vision. */
export function chargeColour(part: number): string {
  const end = part < 0 ? NEGATIVE : POSITIVE;
  const share = Math.min(1, Math.abs(part));
  const mixed = NEUTRAL.map((from, channel) =>
    Math.round(from + ((end[channel] ?? 0) - from) * share),
  );
  return `rgb(${mixed.join(',')})`;
}
