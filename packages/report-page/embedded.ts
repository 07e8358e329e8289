/** Data in the page, or in `report-data/` next to it: deflated JSON in base64, inflated on demand. */
import {
  chunkFile,
  DELIVER,
  ELEMENT,
  type ChunkLayout,
  type ItemDetail,
  type PageData,
  type Structures,
} from '../../src/report/page-data.ts';

export async function pageData(): Promise<PageData> {
  return JSON.parse(await inflated(textOf(ELEMENT.page))) as PageData;
}

/** The script of the 3D viewer; null if the report has no molecules. */
export async function viewerScript(): Promise<string | null> {
  const element = document.getElementById(ELEMENT.viewer);
  return element === null ? null : inflated(element.textContent);
}

let structures: Promise<Structures | null> | null = null;

/** SMILES and fingerprints of the molecules; null if the report has none. */
export function structureList(): Promise<Structures | null> {
  structures ??= readStructures();
  return structures;
}

async function readStructures(): Promise<Structures | null> {
  await wholePage();
  const element = document.getElementById(ELEMENT.structures);
  return element === null ? null : (JSON.parse(await inflated(element.textContent)) as Structures);
}

/** The folder next to the report is missing, or the report was moved without it. */
export class DataMissing extends Error {}

const chunks = new Map<number, Promise<readonly ItemDetail[]>>();

/** Of the item in this row of the table. @throws DataMissing */
export async function itemDetail(layout: ChunkLayout, row: number): Promise<ItemDetail> {
  const chunk = layout.firstRows.findLastIndex((first) => first <= row);
  let details = chunks.get(chunk);
  if (details === undefined) {
    details = readChunk(layout, chunk);
    chunks.set(chunk, details);
    // Retried once the folder is back.
    details.catch(() => chunks.delete(chunk));
  }
  const detail = (await details)[row - (layout.firstRows[chunk] ?? 0)];
  if (detail === undefined) throw new DataMissing(chunkFile(chunk));
  return detail;
}

async function readChunk(layout: ChunkLayout, chunk: number): Promise<readonly ItemDetail[]> {
  const base64 =
    chunk < layout.embedded ? await inThePage(`${ELEMENT.chunk}${chunk}`) : await beside(chunk);
  return JSON.parse(await inflated(base64)) as readonly ItemDetail[];
}

/** The address may request an item before the page is parsed completely. */
async function inThePage(id: string): Promise<string> {
  await wholePage();
  return textOf(id);
}

async function wholePage(): Promise<void> {
  if (document.readyState !== 'loading') return;
  await new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true });
  });
}

function textOf(id: string): string {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}: it is not whole`);
  return element.textContent;
}

const delivered = new Map<number, string>();

/** A page opened from disk may not fetch a file, but may load it as a script. */
function beside(chunk: number): Promise<string> {
  Object.assign(window, {
    [DELIVER]: (number: number, base64: string) => delivered.set(number, base64),
  });
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = chunkFile(chunk);
    script.onload = () => {
      const base64 = delivered.get(chunk);
      delivered.delete(chunk);
      script.remove();
      if (base64 === undefined) reject(new DataMissing(script.src));
      else resolve(base64);
    };
    script.onerror = () => {
      script.remove();
      reject(new DataMissing(chunkFile(chunk)));
    };
    document.head.append(script);
  });
}

function inflated(base64: string): Promise<string> {
  return inflation(base64).text();
}

function inflation(base64: string): Response {
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream);
}
