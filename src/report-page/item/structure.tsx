/** The structure in three dimensions, by 3Dmol. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PackedMolecule } from '../data.ts';
import { openViewer, type Colouring, type Labels, type Viewer } from './viewer.ts';

export function StructureView({ molecule }: { readonly molecule: PackedMolecule }) {
  const place = useRef<HTMLDivElement>(null);
  const [viewer, problem] = useViewer(place, molecule);
  const [colouring, setColouring] = useState<Colouring>('element');
  const [labels, setLabels] = useState<Labels>('none');
  useEffect(() => viewer?.show(colouring, labels), [viewer, colouring, labels]);
  if (problem !== null) return <p class="notice">The structure is not shown in 3D: {problem}</p>;
  return (
    <figure>
      <div class="viewer" ref={place} role="img" aria-label="Structure in three dimensions" />
      <figcaption>
        Structure as the engine wrote it, bonds as in the topology. Drag to turn it.
      </figcaption>
      <div class="controls">
        <Choice label="Colour" value={colouring} choose={setColouring} words={COLOURINGS} />
        <Choice label="Labels" value={labels} choose={setLabels} words={LABELS} />
        <Turning viewer={viewer} />
      </div>
      {colouring === 'charge' && <ChargeKey />}
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

/** The viewer once it is open, or why it is not. */
function useViewer(
  place: { readonly current: HTMLElement | null },
  molecule: PackedMolecule,
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
    <span class="buttons">
      <button type="button" aria-label="Turn left" onClick={() => viewer?.turn(-30, 'y')}>
        ←
      </button>
      <button type="button" aria-label="Turn right" onClick={() => viewer?.turn(30, 'y')}>
        →
      </button>
      <button type="button" aria-label="Turn up" onClick={() => viewer?.turn(-30, 'x')}>
        ↑
      </button>
      <button type="button" aria-label="Turn down" onClick={() => viewer?.turn(30, 'x')}>
        ↓
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => viewer?.zoom(1.25)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => viewer?.zoom(0.8)}>
        −
      </button>
      <button type="button" onClick={() => viewer?.reset()}>
        Reset
      </button>
    </span>
  );
}

function ChargeKey() {
  return (
    <p class="key">
      <span class="swatch negative" /> negative
      <span class="swatch neutral" /> zero
      <span class="swatch positive" /> positive
    </p>
  );
}
