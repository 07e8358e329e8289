/** The minimised structure in three dimensions, by 3Dmol. Drawn when it comes into view: it needs a moment. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PackedMolecule } from '../data.ts';
import { openViewer, type Colouring, type Labels, type Viewer } from './viewer.ts';

export function StructureView({ molecule }: { readonly molecule: PackedMolecule }) {
  const place = useRef<HTMLDivElement>(null);
  const viewer = useRef<Viewer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [colouring, setColouring] = useState<Colouring>('element');
  const [labels, setLabels] = useState<Labels>('none');
  useEffect(() => {
    let left = false;
    const element = place.current;
    if (element === null) return;
    openViewer(element, molecule).then(
      (opened) => {
        if (left) return;
        viewer.current = opened;
        opened.show('element', 'none');
      },
      (error: unknown) =>
        left || setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      left = true;
    };
  }, [molecule]);
  useEffect(() => viewer.current?.show(colouring, labels), [colouring, labels]);
  return (
    <figure>
      {problem === null ? (
        <div
          class="viewer"
          ref={place}
          role="img"
          aria-label="Minimised structure; drag to turn it"
        />
      ) : (
        <p class="notice">The structure is not shown in 3D: {problem}</p>
      )}
      <figcaption>
        Minimised structure, as in the topology. Drag to turn, scroll to zoom.
      </figcaption>
      {problem === null && (
        <div class="controls">
          <label>
            Colour
            <select
              value={colouring}
              onChange={({ currentTarget }) => setColouring(currentTarget.value as Colouring)}
            >
              <option value="element">by element</option>
              <option value="charge">by charge</option>
            </select>
          </label>
          <label>
            Labels
            <select
              value={labels}
              onChange={({ currentTarget }) => setLabels(currentTarget.value as Labels)}
            >
              <option value="none">none</option>
              <option value="name">atom names</option>
              <option value="charge">charges</option>
            </select>
          </label>
          <Turning viewer={viewer} />
        </div>
      )}
      {colouring === 'charge' && problem === null && <ChargeKey />}
    </figure>
  );
}

function Turning({ viewer }: { readonly viewer: { readonly current: Viewer | null } }) {
  return (
    <span class="buttons">
      <button type="button" aria-label="Turn left" onClick={() => viewer.current?.turn(-30, 'y')}>
        ←
      </button>
      <button type="button" aria-label="Turn right" onClick={() => viewer.current?.turn(30, 'y')}>
        →
      </button>
      <button type="button" aria-label="Turn up" onClick={() => viewer.current?.turn(-30, 'x')}>
        ↑
      </button>
      <button type="button" aria-label="Turn down" onClick={() => viewer.current?.turn(30, 'x')}>
        ↓
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => viewer.current?.zoom(1.25)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => viewer.current?.zoom(0.8)}>
        −
      </button>
      <button type="button" onClick={() => viewer.current?.reset()}>
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
