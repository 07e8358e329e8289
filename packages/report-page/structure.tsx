/** The structure in 3D, by 3Dmol. Its script is in the page, deflated, and is loaded with the first molecule. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PackedStructure } from '../../src/report/page-data.ts';
import { readViewerScript } from './embedded.ts';
import { formatSigned } from './words.ts';

/** The highlighted atom, in the structure and in the table of charges; null for none. */
export interface AtomChoice {
  readonly molecule: PackedStructure;
  readonly atom: number | null;
  readonly choose: (atom: number | null) => void;
}

export function StructureView({ molecule, atom, choose }: AtomChoice) {
  const frame = useRef<HTMLDivElement>(null);
  const [viewer, problem] = useViewer(frame, molecule);
  const [byCharge, setByCharge] = useState(false);
  useEffect(() => {
    if (viewer !== null) show(viewer, molecule, byCharge);
  }, [viewer, molecule, byCharge]);
  useEffect(() => {
    if (viewer !== null) mark(viewer, molecule, atom);
  }, [viewer, molecule, atom]);
  useEffect(() => {
    viewer?.setHoverable(
      {},
      true,
      ({ index }) => choose(index),
      () => choose(null),
    );
    viewer?.render();
  }, [viewer, choose]);
  if (problem !== null) return <p class="notice">The 3D structure cannot be shown: {problem}</p>;
  return (
    <figure>
      <div class="viewer" ref={frame} role="img" aria-label="3D structure" />
      <figcaption>
        Structure as the engine wrote it, bonds as in the topology. Drag to rotate.
      </figcaption>
      <div class="line controls">
        <button type="button" aria-pressed={byCharge} onClick={() => setByCharge(!byCharge)}>
          Colour by charge
        </button>
        <TurnButtons viewer={viewer} />
      </div>
      <p class="small" role="status">
        {atom === null
          ? 'Point at an atom to see its type and charge.'
          : describeAtom(molecule, atom)}
      </p>
      {byCharge && <ChargeKey most={findLargestCharge(molecule) / PARTS} />}
    </figure>
  );
}

const TURNS: readonly (readonly [sign: string, name: string, turn: (viewer: Viewer) => void])[] = [
  ['←', 'Rotate left', (viewer) => viewer.rotate(-30, 'y')],
  ['→', 'Rotate right', (viewer) => viewer.rotate(30, 'y')],
  ['↑', 'Rotate up', (viewer) => viewer.rotate(-30, 'x')],
  ['↓', 'Rotate down', (viewer) => viewer.rotate(30, 'x')],
  ['+', 'Zoom in', (viewer) => viewer.zoom(1.25)],
  ['−', 'Zoom out', (viewer) => viewer.zoom(0.8)],
  ['Reset', 'Reset', (viewer) => viewer.zoomTo()],
];

function TurnButtons({ viewer }: { readonly viewer: Viewer | null }) {
  const start = (turn: (viewer: Viewer) => void) => () => {
    if (viewer === null) return;
    turn(viewer);
    viewer.render();
  };
  return (
    <span class="line buttons" role="group" aria-label="View of the structure">
      {TURNS.map(([sign, name, turn]) => (
        <button key={name} type="button" aria-label={name} onClick={start(turn)}>
          {sign}
        </button>
      ))}
    </span>
  );
}

/** The colours of the structure, with their numbers. */
function ChargeKey({ most }: { readonly most: number }) {
  const colours = [-1, -0.5, 0, 0.5, 1].map(chargeColour).join(', ');
  return (
    <p class="line small">
      {formatSigned(-most, 2)} e
      <span class="ramp" style={{ background: `linear-gradient(to right, ${colours})` }} />
      {formatSigned(most, 2)} e
    </p>
  );
}

/** The charges are in ten-thousandths. */
const PARTS = 10_000;

function findLargestCharge({ charges }: PackedStructure): number {
  return Math.max(PARTS / 10, ...charges.map(Math.abs));
}

/** `C8: C, type c, +0.6610 e`. */
function describeAtom({ names, elements, types, charges }: PackedStructure, atom: number): string {
  const charge = formatSigned((charges[atom] ?? 0) / PARTS, 4);
  return `${names[atom] ?? ''}: ${elements[atom] ?? ''}, type ${types[atom] ?? ''}, ${charge} e`;
}

/** The parts of 3Dmol that are used; importing its types would include all of it in the bundle's build. */
interface Library {
  createViewer(element: HTMLElement, config: object): Viewer;
}

interface Viewer {
  addModel(): { addAtoms(atoms: readonly object[]): void };
  setStyle(selection: object, style: object): void;
  setBackgroundColor(colour: string, alpha: number): void;
  addSphere(spec: object): unknown;
  removeAllShapes(): void;
  setHoverable(
    selection: object,
    hoverable: boolean,
    enter: (atom: { readonly index: number }) => void,
    leave: () => void,
  ): void;
  rotate(degrees: number, axis: string): void;
  zoom(factor: number): void;
  zoomTo(): void;
  render(): void;
}

let library: Promise<Library> | null = null;

/** The script is allowed by its digest (see the page's Content-Security-Policy), as an inline script. */
async function loadLibrary(): Promise<Library> {
  const script = await readViewerScript();
  if (script === null) throw new Error('this report was written without the viewer.');
  const element = document.createElement('script');
  element.textContent = script;
  document.head.append(element);
  const loaded = (window as { $3Dmol?: Library }).$3Dmol;
  if (loaded === undefined) throw new Error('the viewer did not start.');
  return loaded;
}

/** @throws Error with the reason, for users */
async function openViewer(frame: HTMLElement, molecule: PackedStructure): Promise<Viewer> {
  if (document.createElement('canvas').getContext('webgl2') === null)
    throw new Error('this browser has no WebGL.');
  library ??= loadLibrary();
  const viewer = (await library).createViewer(frame, { antialias: true, disableFog: true });
  viewer.setBackgroundColor('white', 0);
  viewer.addModel().addAtoms(describeAtoms(molecule));
  viewer.zoomTo();
  return viewer;
}

/** The open viewer, or why it is not available. */
function useViewer(
  frame: { readonly current: HTMLElement | null },
  molecule: PackedStructure,
): readonly [Viewer | null, string | null] {
  const [viewer, setViewer] = useState<Viewer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let left = false;
    if (frame.current === null) return;
    openViewer(frame.current, molecule).then(
      (opened) => left || setViewer(opened),
      (error: unknown) =>
        left || setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      left = true;
    };
  }, [frame, molecule]);
  return [viewer, problem];
}

function describeAtoms(molecule: PackedStructure): readonly object[] {
  const { elements, bonds } = molecule;
  const neighbours = elements.map((): number[] => []);
  for (let pair = 0; pair < bonds.length; pair += 2) {
    const [one = 0, other = 0] = bonds.slice(pair, pair + 2);
    neighbours[one]?.push(other);
    neighbours[other]?.push(one);
  }
  return elements.map((elem, atom) => ({
    elem,
    serial: atom,
    index: atom,
    hetflag: true,
    ...locate(molecule, atom),
    bonds: neighbours[atom],
    bondOrder: neighbours[atom]?.map(() => 1),
  }));
}

function locate({ places }: PackedStructure, atom: number) {
  const [x = 0, y = 0, z = 0] = places.slice(3 * atom, 3 * atom + 3);
  return { x: x / 100, y: y / 100, z: z / 100 };
}

function mark(viewer: Viewer, molecule: PackedStructure, atom: number | null): void {
  viewer.removeAllShapes();
  if (atom !== null) {
    const center = locate(molecule, atom);
    viewer.addSphere({ center, radius: 0.62, color: '#e8b92e', opacity: 0.55 });
  }
  viewer.render();
}

function show(viewer: Viewer, molecule: PackedStructure, byCharge: boolean): void {
  const { charges } = molecule;
  const most = findLargestCharge(molecule);
  const colorfunc = ({ index }: { index: number }) => chargeColour((charges[index] ?? 0) / most);
  const colour = byCharge ? { colorfunc } : { colorscheme: ELEMENT_COLOURS };
  viewer.setStyle({}, { stick: { radius: 0.14, ...colour }, sphere: { scale: 0.26, ...colour } });
  viewer.render();
}

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
function chargeColour(part: number): string {
  const end = part < 0 ? NEGATIVE : POSITIVE;
  const share = Math.min(1, Math.abs(part));
  const mixed = NEUTRAL.map((from, channel) =>
    Math.round(from + ((end[channel] ?? 0) - from) * share),
  );
  return `rgb(${mixed.join(',')})`;
}
