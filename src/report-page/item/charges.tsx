/** The partial charges of a molecule's atoms, as a chart and as a table. */
import { barX, gridX, ruleX, text, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import type { PackedMolecule } from '../data.ts';
import { signedText } from '../words.ts';

interface AtomCharge {
  readonly name: string;
  readonly charge: number;
}

/** In ten-thousandths. */
const PARTS = 10_000;

function chargesOf({ names, charges }: PackedMolecule): readonly AtomCharge[] {
  return names.map((name, atom) => ({ name, charge: (charges[atom] ?? 0) / PARTS }));
}

const ROW = 16;

/** In elementary charges, without its sign. */
export function largestCharge({ charges }: PackedMolecule): number {
  return Math.max(0.1, ...charges.map((charge) => Math.abs(charge) / PARTS));
}

export interface ChargeChartProps {
  readonly molecule: PackedMolecule;
  /** Of the molecule, where several charts are on one page. */
  readonly name?: string;
  /** End of the scale, in elementary charges; the largest charge when it is left out. */
  readonly most?: number;
}

export function ChargeChart({ molecule, name, most = largestCharge(molecule) }: ChargeChartProps) {
  const options = useMemo(() => chargeOptions(chargesOf(molecule), most * 1.2), [molecule, most]);
  return (
    <details class="fold" open={molecule.names.length <= 60}>
      <summary>Chart</summary>
      <Chart
        label={`Partial charge of every atom${name === undefined ? '' : ` of ${name}`}`}
        options={options}
      />
    </details>
  );
}

function chargeOptions(atoms: readonly AtomCharge[], most: number) {
  // Names are unique by convention only: the place tells atoms apart.
  const places = atoms.map((_, place) => place);
  const at = (place: number): AtomCharge => atoms[place] ?? { name: '', charge: 0 };
  const value = (place: number): number => at(place).charge;
  return (): PlotOptions => ({
    height: atoms.length * ROW + 50,
    marginLeft: 48,
    x: { domain: [-most, most], label: 'partial charge (e)', axis: 'both', tickFormat: '+.1f' },
    y: { domain: places, tickFormat: (place: number) => at(place).name, label: null, tickSize: 0 },
    marks: [
      gridX({ strokeOpacity: 0.15 }),
      barX(places, {
        ...{ x: value, y: (place: number) => place, insetTop: 2, insetBottom: 2 },
        fill: (place: number) => (value(place) < 0 ? 'var(--negative)' : 'var(--positive)'),
      }),
      ruleX([0]),
      ...[-1, 1].map((sign) =>
        text(
          places.filter((place) => value(place) < 0 === sign < 0),
          {
            ...{ x: value, y: (place: number) => place, fill: 'currentColor', fontSize: 10 },
            ...{ text: (place: number) => signedText(value(place), 3), dx: 4 * sign },
            textAnchor: sign < 0 ? 'end' : 'start',
          },
        ),
      ),
    ],
    color: { type: 'identity' },
  });
}

export function ChargeTable({ molecule }: { readonly molecule: PackedMolecule }) {
  const { elements, types } = molecule;
  return (
    <details class="fold">
      <summary>Table of atoms</summary>
      <div class="scroll low" tabIndex={0} role="region" aria-label="Atoms">
        <table>
          <thead>
            <tr>
              <th scope="col">Atom</th>
              <th scope="col">Element</th>
              <th scope="col">Type</th>
              <th scope="col" class="number">
                Charge (e)
              </th>
            </tr>
          </thead>
          <tbody>
            {chargesOf(molecule).map(({ name, charge }, atom) => (
              <tr key={atom}>
                <th scope="row">{name}</th>
                <td>{elements[atom]}</td>
                <td>
                  <code>{types[atom]}</code>
                </td>
                <td class="number">{signedText(charge, 4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
