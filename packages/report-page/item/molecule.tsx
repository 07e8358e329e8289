/** A molecule: its drawn formula, its minimised structure in 3D, its charges, and the estimated parameters. */
import { useState } from 'preact/hooks';
import type { DrawnFormula } from '../../../src/report/page-data.ts';
import type { PackedStructure } from '../../../src/kinds/page-data.ts';
import { counted, signedText } from '../words.ts';
import { ChargeChart, ChargeTable } from './charges.tsx';
import { FormulaView } from './drawing.tsx';
import { StructureView } from './structure.tsx';

interface MoleculeProps {
  readonly molecule: PackedStructure;
  readonly drawn: DrawnFormula | null;
}

export function MoleculeView({ molecule, drawn }: MoleculeProps) {
  const { formula, charge, names } = molecule;
  const [atom, choose] = useState<number | null>(null);
  return (
    <section aria-labelledby="result">
      <h2 id="result">
        <Formula formula={formula} />
        <span class="quiet">
          {' '}
          {names.length} atoms, charge {signedText(charge, Math.abs(charge % 1) < 0.0005 ? 0 : 3)}
        </span>
      </h2>
      <div class="pair">
        {drawn !== null && <FormulaView formula={drawn} />}
        <StructureView molecule={molecule} atom={atom} choose={choose} />
      </div>
      <h3>Charges</h3>
      <p>Point at an atom to highlight it in the chart, the table and the structure.</p>
      <ChargeChart molecule={molecule} atom={atom} choose={choose} />
      <ChargeTable molecule={molecule} atom={atom} choose={choose} />
      <Estimated molecule={molecule} />
    </section>
  );
}

/** `C9H8O4` with subscripts. */
function Formula({ formula }: { readonly formula: string }) {
  return (
    <span>
      {formula
        .split(/(\d+)/)
        .filter(Boolean)
        .map((part, place) =>
          /^\d+$/.test(part) ? <sub key={place}>{part}</sub> : <span key={place}>{part}</span>,
        )}
    </span>
  );
}

function Estimated({ molecule: { estimated } }: { readonly molecule: PackedStructure }) {
  if (estimated.length === 0) {
    return <p>Every parameter was found in the force field; none was estimated.</p>;
  }
  const revise = estimated.filter(({ needsRevision }) => needsRevision).length;
  const total = estimated.reduce((sum, { penalty }) => sum + (penalty ?? 0), 0);
  return (
    <>
      <h3>Estimated parameters</h3>
      <p>
        {counted(estimated.length, 'parameter')} not in the force field, estimated by parmchk2; sum
        of penalties {total.toFixed(1)}. A penalty of 0 is a good fit, one above 10 deserves a look.
        {revise > 0 && (
          <strong>
            {' '}
            {revise} marked “ATTN, need revision”: do not simulate with them as they are.
          </strong>
        )}
      </p>
      <div class="scroll low" tabIndex={0} role="region" aria-label="Estimated parameters">
        <table>
          <thead>
            <tr>
              <th scope="col">Term</th>
              <th scope="col">Atom types</th>
              <th scope="col" class="number">
                Penalty
              </th>
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody>
            {estimated.map(({ term, types, penalty, remark }, place) => (
              <tr key={place}>
                <td>{term}</td>
                <td>
                  <code>{types}</code>
                </td>
                <td class="number">{penalty === null ? 'none given' : penalty.toFixed(1)}</td>
                <td>{remark}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
