/** Molecules side by side, each with its charges by atom on one scale. */
import type { PackedMolecule } from '../data.ts';
import { ChargeChart, largestCharge } from '../item/charges.tsx';
import { DrawingView } from '../item/drawing.tsx';
import type { Compared } from './compared.ts';

export function MoleculesCompared({ all }: { readonly all: readonly Compared[] }) {
  const molecules = all.flatMap(({ id, row, detail: { result, formula } }) =>
    result?.kind === 'molecule' ? [{ id, row, molecule: result, formula }] : [],
  );
  if (molecules.length === 0) return null;
  const most = Math.max(...molecules.map(({ molecule }) => largestCharge(molecule)));
  return (
    <section aria-labelledby="molecules">
      <h2 id="molecules">Molecules</h2>
      <ul class="structures wide">
        {molecules.map(({ id, row, molecule, formula }) => (
          <li key={row}>
            <h3>{id}</h3>
            {formula?.drawing && (
              <div class="structure">
                <DrawingView
                  isCropped
                  drawing={formula.drawing}
                  label={`Structural formula of ${id}`}
                />
              </div>
            )}
            <p class="quiet">{wordsOf(molecule)}</p>
            <ChargeChart molecule={molecule} name={id} most={most} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function wordsOf({ formula, names, estimated }: PackedMolecule): string {
  const revise = estimated.filter(({ needsRevision }) => needsRevision).length;
  return `${formula}, ${names.length} atoms, ${estimated.length} parameters estimated${revise > 0 ? `, ${revise} ATTN` : ''}`;
}
