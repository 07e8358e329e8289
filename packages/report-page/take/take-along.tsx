/** What the user can copy or save of the rows: the selected ones, or else all that are shown. */
import { useState } from 'preact/hooks';
import { DataMissing, itemDetail } from '../embedded.ts';
import type { ItemDetail, PageData } from '../../../src/report/page-data.ts';
import type { Column } from '../items/columns.ts';
import type { ShownRows } from '../items/shown-rows.ts';
import { hashOf } from '../route.ts';
import { counted } from '../words.ts';
import { folderOf, manifestText, structureText, tableText } from './rows-as-text.ts';
import { copyText, saveText } from './save-file.ts';

interface TakeAlongProps extends ShownRows {
  readonly data: PageData;
}

/** Limits for a comparison. */
const LEAST_COMPARED = 2;
const MOST_COMPARED = 12;

interface WithDetail {
  readonly row: number;
  readonly detail: ItemDetail;
}

export function TakeAlong({ data, columns, rows, route, selection }: TakeAlongProps) {
  const [said, say] = useState('');
  const isPicked = selection.rows.length > 0;
  const taken = isPicked ? selection.rows : rows;
  const count = counted(taken.length, 'item');
  return (
    <div class="take" role="group" aria-label="Use these rows">
      <span>{isPicked ? `${count} selected:` : `All ${count} shown:`}</span>
      <Compare data={data} route={route} selection={selection} />
      {waysOf(data, columns, taken).map(({ name, title, take }) => (
        <button
          key={name}
          type="button"
          title={title}
          onClick={() => {
            say('Reading …');
            take().then(say, (error: unknown) => say(problemOf(error)));
          }}
        >
          {name}
        </button>
      ))}
      {isPicked && (
        <button type="button" onClick={() => selection.replace([])}>
          Clear selection
        </button>
      )}
      <span role="status" class="quiet">
        {said}
      </span>
    </div>
  );
}

interface Way {
  readonly name: string;
  readonly title: string;
  /** Resolves with a message for the user. */
  readonly take: () => Promise<string>;
}

function waysOf(data: PageData, columns: readonly Column[], rows: readonly number[]): Way[] {
  const details = async () => (await detailsOf(data, rows)).map(({ detail }) => detail);
  const save = (ending: string, text: string): string => {
    const file = `${data.name}-${ending}`;
    saveText(file, text, ending.endsWith('.csv') ? 'text/csv' : 'text/plain');
    return `${file} saved.`;
  };
  return [
    {
      name: 'CSV',
      title: 'All columns that have a value',
      take: () => Promise.resolve(save('items.csv', tableText(columns, rows))),
    },
    {
      name: 'Manifest',
      title: 'A manifest that runs these rows again; save it next to the report',
      take: async () => save('manifest.csv', manifestText(await details())),
    },
    {
      name: 'Paths',
      title: 'The folders of these items, one per line',
      take: async () => {
        const folders = (await details()).map(folderOf).filter(Boolean);
        return save('paths.txt', folders.map((folder) => `${folder}\n`).join(''));
      },
    },
    {
      name: 'Copy SMILES and sequences',
      title: 'SMILES followed by the id; sequences as FASTA',
      take: async () => {
        const text = structureText(data.table, await detailsOf(data, rows));
        return (await copyText(text)) ? 'Copied.' : 'The browser does not let this page copy.';
      },
    },
  ];
}

function problemOf(error: unknown): string {
  if (!(error instanceof DataMissing)) throw error;
  return 'The folder report-data is missing next to report.html.';
}

async function detailsOf(data: PageData, rows: readonly number[]): Promise<WithDetail[]> {
  const all: WithDetail[] = [];
  for (const row of rows) all.push({ row, detail: await itemDetail(data.chunks, row) });
  return all;
}

function Compare({ data, route, selection }: Pick<TakeAlongProps, 'data' | 'route' | 'selection'>) {
  const count = selection.rows.length;
  const may = count >= LEAST_COMPARED && count <= MOST_COMPARED;
  const ids = selection.rows.map((row) => encodeURIComponent(data.table.id[row] ?? ''));
  return (
    <button
      type="button"
      disabled={!may}
      title={`Select ${LEAST_COMPARED} to ${MOST_COMPARED} items`}
      onClick={() => {
        location.hash = hashOf({ ...route, compare: ids.join(' ') });
      }}
    >
      Compare
    </button>
  );
}
