/** The partial charges of a molecule's atoms, as a chart and as a table; both highlight the atom under the pointer. */
import { useRef } from 'preact/hooks';
import type { PackedStructure } from '../../../src/kinds/page-data.ts';
import { PictureButtons } from '../take/saved-picture.tsx';
import { useWidth } from '../use-width.ts';
import { signedText } from '../words.ts';

/** In ten-thousandths. */
const PARTS = 10_000;

/** The highlighted atom, from here or another view; null for none. */
export interface AtomChoice {
  readonly atom?: number | null;
  readonly choose?: (atom: number | null) => void;
}

/** In elementary charges, without sign. */
export function largestCharge({ charges }: PackedStructure): number {
  return Math.max(0.1, ...charges.map((charge) => Math.abs(charge) / PARTS));
}

function chargeOf({ charges }: PackedStructure, atom: number): number {
  return (charges[atom] ?? 0) / PARTS;
}

interface ChargeChartProps extends AtomChoice {
  readonly molecule: PackedStructure;
  /** Of the molecule, if there are several charts on one page. */
  readonly name?: string;
  /** End of the scale, in elementary charges; the default is the largest charge. */
  readonly most?: number;
}

export function ChargeChart(props: ChargeChartProps) {
  const { molecule, name } = props;
  const place = useRef<HTMLDivElement>(null);
  // Drawn at its own size: a scaled one would have tiny letters in a narrow place.
  const width = useWidth(place) || USUAL_WIDTH;
  const label = `Partial charge of every atom${name === undefined ? '' : ` of ${name}`}`;
  return (
    <details class="fold" open={molecule.names.length <= 60}>
      <summary>Chart</summary>
      <div class="picture charges">
        <PictureButtons name={label} place={place} />
        <div ref={place}>
          <Bars {...props} label={label} width={width} />
        </div>
      </div>
    </details>
  );
}

/** Before the first measurement, and in a collapsed section. */
const USUAL_WIDTH = 640;
const NAMES = 56;
/** Space for the numbers at the ends of the bars. */
const NUMBERS = 46;
const ROW = 17;
const TOP = 22;

interface BarsProps extends ChargeChartProps {
  readonly label: string;
  /** In CSS pixels. */
  readonly width: number;
}

function Bars(props: BarsProps) {
  const { molecule, label, width, atom: pointed = null, choose } = props;
  const { most = largestCharge(molecule) } = props;
  const { names } = molecule;
  const height = TOP + names.length * ROW + 24;
  const middle = NAMES + (width - NAMES) / 2;
  const reach = (width - NAMES) / 2 - NUMBERS;
  const across = (charge: number): number => middle + (charge / most) * reach;
  return (
    <svg class="bars-of-atoms" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {ticksOf(most, reach).map((tick) => (
        <g key={tick} class="tick">
          <line x1={across(tick)} x2={across(tick)} y1={TOP - 4} y2={height - 20} />
          <text x={across(tick)} y={12}>
            {signedText(tick, 1)}
          </text>
        </g>
      ))}
      {names.map((name, atom) => (
        <Bar
          key={atom}
          name={name}
          middle={middle}
          width={width}
          across={across}
          top={TOP + atom * ROW}
          charge={chargeOf(molecule, atom)}
          isPointed={atom === pointed}
          point={(isIn) => choose?.(isIn ? atom : null)}
        />
      ))}
      <line class="zero" x1={middle} x2={middle} y1={TOP - 4} y2={height - 20} />
      <text x={middle} y={height - 6} class="unit">
        partial charge (e)
      </text>
    </svg>
  );
}

interface BarProps {
  readonly name: string;
  readonly top: number;
  readonly charge: number;
  readonly middle: number;
  readonly width: number;
  readonly across: (charge: number) => number;
  readonly isPointed: boolean;
  readonly point: (isIn: boolean) => void;
}

function Bar(props: BarProps) {
  const { name, top, charge, middle, width, across, isPointed, point } = props;
  const isNegative = charge < 0;
  return (
    <g
      class={isPointed ? 'pointed' : ''}
      onPointerEnter={() => point(true)}
      onPointerLeave={() => point(false)}
    >
      <rect class="row" x={0} y={top} width={width} height={ROW} />
      <text class="name" x={NAMES - 8} y={top + 12}>
        {name}
      </text>
      <rect
        class={isNegative ? 'negative' : 'positive'}
        x={Math.min(middle, across(charge))}
        y={top + 2}
        width={Math.abs(across(charge) - middle)}
        height={ROW - 4}
      />
      <text
        class={isNegative ? 'name' : 'value'}
        x={across(charge) + (isNegative ? -4 : 4)}
        y={top + 12}
      >
        {signedText(charge, 3)}
      </text>
    </g>
  );
}

const STEPS = [0.1, 0.2, 0.5, 1, 2];
/** Between two numbers of the scale, in pixels. */
const LEAST_APART = 34;

/** On both sides of 0, up to the end of the scale, which is `reach` pixels from 0. */
function ticksOf(most: number, reach: number): readonly number[] {
  const usual = most > 1.2 ? 0.5 : most > 0.4 ? 0.2 : 0.1;
  const fits = (step: number): boolean => (step / most) * reach >= LEAST_APART;
  const step = STEPS.find((one) => one >= usual && fits(one)) ?? usual;
  const count = Math.floor(most / step + 1e-9);
  return Array.from({ length: 2 * count + 1 }, (_, place) => (place - count) * step);
}

interface ChargeTableProps extends AtomChoice {
  readonly molecule: PackedStructure;
}

export function ChargeTable({ molecule, atom: pointed = null, choose }: ChargeTableProps) {
  const { names, elements, types } = molecule;
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
          <tbody onPointerLeave={() => choose?.(null)}>
            {names.map((name, atom) => (
              <tr
                key={atom}
                class={atom === pointed ? 'pointed' : ''}
                onPointerEnter={() => choose?.(atom)}
              >
                <th scope="row">
                  <button type="button" class="plain" onFocus={() => choose?.(atom)}>
                    {name}
                  </button>
                </th>
                <td>{elements[atom]}</td>
                <td>
                  <code>{types[atom]}</code>
                </td>
                <td class="number">{signedText(chargeOf(molecule, atom), 4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
