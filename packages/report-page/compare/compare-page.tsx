/** Two to twelve items side by side. */
import { useEffect, useState } from 'preact/hooks';
import type { ItemDetail, PageData } from '../../../src/report/page-data.ts';
import type { PackedStructure } from '../../../src/kinds/page-data.ts';
import { DataMissing, itemDetail } from '../embedded.ts';
import { type Column, headOf } from '../items/columns.ts';
import { itemHash, rowOfItem } from '../items/item-row.ts';
import { valueText } from '../items/rows.tsx';
import { hashOf, type Route } from '../route.ts';
import { Overlays } from './overlays.tsx';
import { seriesOf } from './series.ts';
import { ChargeChart, largestCharge } from '../item/charges.tsx';
import { DrawingView } from '../item/drawing.tsx';

/** An item in a comparison. */
interface Compared {
  readonly id: string;
  readonly row: number;
  readonly detail: ItemDetail;
}

interface ComparePageProps {
  readonly data: PageData;
  readonly columns: readonly Column[];
  readonly route: Route;
}

export function ComparePage({ data, columns, route }: ComparePageProps) {
  const [found, setFound] = useState<readonly Compared[] | string | null>(null);
  useEffect(() => {
    let left = false;
    comparedOf(data, route.compare).then(
      (all) => left || setFound(all),
      (error: unknown) => {
        if (!(error instanceof DataMissing)) throw error;
        if (!left) setFound('The folder report-data is missing next to report.html.');
      },
    );
    return () => {
      left = true;
    };
  }, [data, route.compare]);
  return (
    <article class="compare">
      <nav aria-label="Items" class="way">
        <a href={hashOf({ ...route, compare: '' })}>All items</a>
      </nav>
      <h1>Comparison</h1>
      {found === null && <p role="status">Reading …</p>}
      {typeof found === 'string' && <p class="notice strong">{found}</p>}
      {found !== null && typeof found !== 'string' && found.length < 2 && (
        <p class="notice">
          {found.length === 0 ? 'None' : 'Only one'} of these items is in this report: a comparison
          needs two.
        </p>
      )}
      {found !== null && typeof found !== 'string' && found.length >= 2 && (
        <>
          <Values data={data} columns={columns} route={route} all={found} />
          <MoleculesCompared all={found} />
          <Overlays series={seriesOf(found)} />
        </>
      )}
    </article>
  );
}

/** Ids in the address that the report does not have are left out. */
async function comparedOf(data: PageData, compare: string): Promise<readonly Compared[]> {
  const all: Compared[] = [];
  for (const part of new Set(compare.split(' ').filter(Boolean))) {
    const id = decodeURIComponent(part);
    const row = rowOfItem(data.table, id, null);
    if (row !== null) all.push({ id, row, detail: await itemDetail(data.chunks, row) });
  }
  return all;
}

interface ValuesProps extends ComparePageProps {
  readonly all: readonly Compared[];
}

/** The measures and the user's own columns that at least one of the items has. */
function Values({ data, columns, route, all }: ValuesProps) {
  const filled = columns.filter(
    ({ group, valueAt }) =>
      group !== 'item' && group !== 'job' && all.some(({ row }) => valueAt(row) !== null),
  );
  return (
    <div class="scroll values" tabIndex={0} role="region" aria-label="Values">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Column</span>
            </th>
            {all.map(({ id, row }) => (
              <th key={row} scope="col" class="number">
                <a href={itemHash(data.table, row, route)}>{id}</a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filled.map((column) => (
            <tr key={column.key}>
              <th scope="row" title={column.meaning}>
                {headOf(column)}
              </th>
              {all.map(({ row }) => {
                const value = column.valueAt(row);
                return (
                  <td key={row} class="number">
                    {value === null ? '–' : valueText(column, value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Molecules side by side, each with its charges by atom on one scale. */
function MoleculesCompared({ all }: { readonly all: readonly Compared[] }) {
  const molecules = all.flatMap(({ id, row, detail: { result, formula } }) =>
    result?.shape === 'structure' ? [{ id, row, molecule: result, formula }] : [],
  );
  if (molecules.length === 0) return null;
  const most = Math.max(...molecules.map(({ molecule }) => largestCharge(molecule)));
  return (
    <section aria-labelledby="structures">
      <h2 id="structures">Molecules</h2>
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

function wordsOf({ formula, names, estimated }: PackedStructure): string {
  const revise = estimated.filter(({ needsRevision }) => needsRevision).length;
  return `${formula}, ${names.length} atoms, ${estimated.length} parameters estimated${revise > 0 ? `, ${revise} ATTN` : ''}`;
}
