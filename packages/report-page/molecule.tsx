/** A molecule: its drawn formula, its minimised structure in 3D, its charges, and the estimated parameters. */
import { useState } from 'preact/hooks';
import type {
  DrawnFormula,
  PackedStructure,
  PageData,
  Verdict,
} from '../../src/report/page-data.ts';
import { Picture } from './chart.tsx';
import { findVerdict } from './columns.ts';
import { DrawingView } from './drawing.tsx';
import { VerdictMark } from './rows.tsx';
import { type AtomChoice, StructureView } from './structure.tsx';
import { formatCount, formatSigned } from './words.ts';

interface MoleculeProps {
  readonly data: PageData;
  readonly molecule: PackedStructure;
  readonly drawn: DrawnFormula | null;
}

export function MoleculeView({ data, molecule, drawn }: MoleculeProps) {
  const { formula, charge, names } = molecule;
  const [atom, choose] = useState<number | null>(null);
  const measures = data.table.kinds.flatMap((kind) => kind.measures);
  const verdicts = measures.find(({ key }) => key === 'penaltyMax')?.verdicts ?? [];
  return (
    <section aria-labelledby="result">
      <h2 id="result">
        {formula
          .split(/(\d+)/)
          .map((part, place) => (place % 2 === 1 ? <sub key={place}>{part}</sub> : part))}{' '}
        <span class="quiet">
          {names.length} atoms, charge {formatSigned(charge, Math.abs(charge % 1) < 0.0005 ? 0 : 3)}
        </span>
      </h2>
      <div class="pair">
        {drawn !== null && <FormulaView formula={drawn} />}
        <StructureView molecule={molecule} atom={atom} choose={choose} />
      </div>
      <Charges molecule={molecule} atom={atom} choose={choose} />
      <Estimated molecule={molecule} verdicts={verdicts} />
    </section>
  );
}

export function FormulaView({ formula: { drawing, words } }: { readonly formula: DrawnFormula }) {
  return (
    <figure>
      {drawing !== null && (
        <Picture name="Structural formula">
          <DrawingView drawing={drawing} label="Structural formula" />
        </Picture>
      )}
      <figcaption>{words}</figcaption>
    </figure>
  );
}

/** More atoms are folded. */
const MAX_UNFOLDED = 60;

function Charges({ molecule, atom: chosen, choose }: AtomChoice) {
  const { names, elements, types, charges } = molecule;
  const most = Math.max(1000, ...charges.map(Math.abs));
  return (
    <details open={names.length <= MAX_UNFOLDED}>
      <summary>
        <h3>Charges</h3> <span class="quiet">{formatCount(names.length, 'atom')}</span>
      </summary>
      <table class="charges">
        <thead>
          <tr>
            <th scope="col">Atom</th>
            <th scope="col">Element</th>
            <th scope="col">Type</th>
            <th scope="col" class="number">
              Charge (e)
            </th>
            <td />
          </tr>
        </thead>
        <tbody onPointerLeave={() => choose(null)}>
          {names.map((name, atom) => (
            <tr
              key={atom}
              class={atom === chosen ? 'pointed' : ''}
              onPointerEnter={() => choose(atom)}
            >
              <th scope="row">
                <button type="button" onFocus={() => choose(atom)}>
                  {name}
                </button>
              </th>
              <td>{elements[atom]}</td>
              <td>
                <code>{types[atom]}</code>
              </td>
              <td class="number">{formatSigned((charges[atom] ?? 0) / 10_000, 4)}</td>
              <td class="charge">
                <ChargeBar part={(charges[atom] ?? 0) / most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** To the left of the middle, or to the right; `part` from -1 to 1. */
function ChargeBar({ part }: { readonly part: number }) {
  const width = `${Math.abs(part) * 50}%`;
  const left = part < 0 ? `${50 + part * 50}%` : '50%';
  const background = part < 0 ? 'var(--series-2)' : 'var(--series-1)';
  return <span style={{ left, width, background }} />;
}

interface EstimatedProps {
  readonly molecule: PackedStructure;
  readonly verdicts: readonly Verdict[];
}

function Estimated({ molecule: { estimated }, verdicts }: EstimatedProps) {
  if (estimated.length === 0)
    return <p>Every parameter was found in the force field; none was estimated.</p>;
  const revise = estimated.filter(({ needsRevision }) => needsRevision).length;
  const total = estimated.reduce((sum, { penalty }) => sum + (penalty ?? 0), 0);
  return (
    <section aria-labelledby="estimated">
      <h3 id="estimated">Estimated parameters</h3>
      <p>
        {formatCount(estimated.length, 'parameter')} not in the force field, estimated by parmchk2;
        sum of penalties {total.toFixed(1)}. A penalty of 0 fits, one above 10 deserves a look, do
        not trust one above 50.
        {revise > 0 && (
          <strong>
            {' '}
            {revise} marked “ATTN, need revision”: do not simulate with them as they are.
          </strong>
        )}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-labelledby="estimated">
        <table>
          <thead>
            <tr>
              <th scope="col">Term</th>
              <th scope="col">Atom types</th>
              <th scope="col" class="number">
                Penalty
              </th>
              <th scope="col">Fit</th>
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody>
            {estimated.map((parameter, place) => (
              <Parameter key={place} parameter={parameter} verdicts={verdicts} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface ParameterProps extends Pick<EstimatedProps, 'verdicts'> {
  readonly parameter: PackedStructure['estimated'][number];
}

function Parameter({ parameter, verdicts }: ParameterProps) {
  const { term, types, penalty, needsRevision, remark } = parameter;
  const verdict = needsRevision ? (verdicts[0] ?? null) : findVerdict(verdicts, penalty);
  return (
    <tr>
      <td>{term}</td>
      <td>
        <code>{types}</code>
      </td>
      <td class="number">{penalty === null ? 'none given' : penalty.toFixed(1)}</td>
      <td>
        <VerdictMark verdict={verdict} />
      </td>
      <td>{remark}</td>
    </tr>
  );
}
