/** The structure in 3D, by 3Dmol. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PackedStructure } from '../../../src/kinds/page-data.ts';
import { signedText } from '../words.ts';
import { type AtomChoice, largestCharge } from './charges.tsx';
import { Icon } from './icon.tsx';
import { chargeColour, type Colouring, type Labels, openViewer, type Viewer } from './viewer.ts';

interface StructureProps extends Required<AtomChoice> {
  readonly molecule: PackedStructure;
}

export function StructureView({ molecule, atom, choose }: StructureProps) {
  const place = useRef<HTMLDivElement>(null);
  const [viewer, problem] = useViewer(place, molecule);
  const [colouring, setColouring] = useState<Colouring>('element');
  const [labels, setLabels] = useState<Labels>('none');
  useEffect(() => viewer?.show(colouring, labels), [viewer, colouring, labels]);
  useEffect(() => viewer?.mark(atom), [viewer, atom, colouring, labels]);
  useEffect(() => viewer?.onPoint(choose), [viewer, choose]);
  if (problem !== null) return <p class="notice">The 3D structure cannot be shown: {problem}</p>;
  return (
    <figure>
      <div class="viewer" ref={place} role="img" aria-label="3D structure" />
      <figcaption>
        Structure as the engine wrote it, bonds as in the topology. Drag to rotate.
      </figcaption>
      <div class="controls">
        <Choice label="Colour" value={colouring} choose={setColouring} words={COLOURINGS} />
        <Choice label="Labels" value={labels} choose={setLabels} words={LABELS} />
        <Turning viewer={viewer} />
      </div>
      <p class="atom" role="status">
        {atom === null ? 'Point at an atom to see its type and charge.' : atomWords(molecule, atom)}
      </p>
      {colouring === 'charge' && <ChargeKey most={largestCharge(molecule)} />}
    </figure>
  );
}

const COLOURINGS: Readonly<Record<Colouring, string>> = {
  element: 'by element',
  charge: 'by charge',
};
const LABELS: Readonly<Record<Labels, string>> = {
  none: 'none',
  name: 'atom names',
  charge: 'charges',
};

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choose: (value: T) => void;
  readonly words: Readonly<Record<T, string>>;
}

function Choice<T extends string>({ label, value, choose, words }: ChoiceProps<T>) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value as T)}>
        {Object.entries<string>(words).map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The open viewer, or why it is not available. */
function useViewer(
  place: { readonly current: HTMLElement | null },
  molecule: PackedStructure,
): readonly [Viewer | null, string | null] {
  const [viewer, setViewer] = useState<Viewer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let left = false;
    if (place.current === null) return;
    openViewer(place.current, molecule).then(
      (opened) => left || setViewer(opened),
      (error: unknown) =>
        left || setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      left = true;
    };
  }, [place, molecule]);
  return [viewer, problem];
}

function Turning({ viewer }: { readonly viewer: Viewer | null }) {
  return (
    <span class="buttons" role="group" aria-label="View of the structure">
      <button type="button" aria-label="Rotate left" onClick={() => viewer?.turn(-30, 'y')}>
        <Icon name="left" />
      </button>
      <button type="button" aria-label="Rotate right" onClick={() => viewer?.turn(30, 'y')}>
        <Icon name="right" />
      </button>
      <button type="button" aria-label="Rotate up" onClick={() => viewer?.turn(-30, 'x')}>
        <Icon name="up" />
      </button>
      <button type="button" aria-label="Rotate down" onClick={() => viewer?.turn(30, 'x')}>
        <Icon name="down" />
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => viewer?.zoom(1.25)}>
        <Icon name="plus" />
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => viewer?.zoom(0.8)}>
        <Icon name="minus" />
      </button>
      <button type="button" onClick={() => viewer?.reset()}>
        Reset
      </button>
    </span>
  );
}

/** The colours of the structure, with their numbers. */
function ChargeKey({ most }: { readonly most: number }) {
  const colours = [-1, -0.5, 0, 0.5, 1].map(chargeColour).join(', ');
  return (
    <p class="key">
      {signedText(-most, 2)} e
      <span class="ramp" style={{ background: `linear-gradient(to right, ${colours})` }} />
      {signedText(most, 2)} e
    </p>
  );
}

/** `C8: C, type c, +0.6610 e`. */
function atomWords({ names, elements, types, charges }: PackedStructure, atom: number): string {
  const charge = signedText((charges[atom] ?? 0) / 10_000, 4);
  return `${names[atom] ?? ''}: ${elements[atom] ?? ''}, type ${types[atom] ?? ''}, ${charge} e`;
}
