/** Data in the page, or in `report-data/` next to it: deflated JSON in base64, inflated on demand. */
import { useEffect, useState } from 'preact/hooks';
import {
  nameChunkFile,
  DELIVER,
  ELEMENT,
  type ChunkLayout,
  type ItemDetail,
  type PageData,
  type Structures,
} from '../../src/report/page-data.ts';

export async function readPageData(): Promise<PageData> {
  return JSON.parse(await decompress(readElementText(ELEMENT.page))) as PageData;
}

/** The script of the 3D viewer; null if the report has no molecules. */
export async function readViewerScript(): Promise<string | null> {
  const element = document.getElementById(ELEMENT.viewer);
  return element === null ? null : decompress(element.textContent);
}

/** SMILES and fingerprints of the molecules; null if the report has none. */
export async function readStructures(): Promise<Structures | null> {
  await awaitWholePage();
  const element = document.getElementById(ELEMENT.structures);
  return element === null
    ? null
    : (JSON.parse(await decompress(element.textContent)) as Structures);
}

/** The folder next to the report is missing, or the report was moved without it. */
class DataMissing extends Error {
  constructor(chunk: number) {
    super(
      `${nameChunkFile(chunk)} is missing. The details of this item are in the folder report-data next to ` +
        'report.html: put it back, or write both again with hundredfold report.',
    );
  }
}

const chunks = new Map<number, Promise<readonly ItemDetail[]>>();

/** Of the item in this row of the table. @throws DataMissing */
export async function readItemDetail(layout: ChunkLayout, row: number): Promise<ItemDetail> {
  const chunk = layout.firstRows.findLastIndex((first) => first <= row);
  let details = chunks.get(chunk);
  if (details === undefined) {
    details = readChunk(layout, chunk);
    chunks.set(chunk, details);
    // Retried once the folder is back.
    details.catch(() => chunks.delete(chunk));
  }
  const detail = (await details)[row - (layout.firstRows[chunk] ?? 0)];
  if (detail === undefined) throw new DataMissing(chunk);
  return detail;
}

/** The details of these rows; null while they are being read, a sentence if they cannot. */
export function useDetails(layout: ChunkLayout, rows: readonly number[]) {
  const [details, setDetails] = useState<readonly ItemDetail[] | string | null>(null);
  const key = rows.join(' ');
  useEffect(() => {
    let left = false;
    const all = key === '' ? [] : key.split(' ').map((row) => readItemDetail(layout, Number(row)));
    Promise.all(all).then(
      (found) => left || setDetails(found),
      (error: unknown) => {
        if (!(error instanceof DataMissing)) throw error;
        if (!left) setDetails(error.message);
      },
    );
    return () => {
      left = true;
    };
  }, [layout, key]);
  return details;
}

async function readChunk(layout: ChunkLayout, chunk: number): Promise<readonly ItemDetail[]> {
  // The address may request an item before the page is parsed completely.
  await awaitWholePage();
  const isEmbedded = chunk < layout.embedded;
  const base64 = isEmbedded
    ? readElementText(`${ELEMENT.chunk}${chunk}`)
    : await loadFromBeside(chunk);
  return JSON.parse(await decompress(base64)) as readonly ItemDetail[];
}

async function awaitWholePage(): Promise<void> {
  if (document.readyState !== 'loading') return;
  await new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true });
  });
}

function readElementText(id: string): string {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}: it is not whole`);
  return element.textContent;
}

const delivered = new Map<number, string>();

/** A page opened from disk may not fetch a file, but may load it as a script. */
function loadFromBeside(chunk: number): Promise<string> {
  Object.assign(window, {
    [DELIVER]: (number: number, base64: string) => delivered.set(number, base64),
  });
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = nameChunkFile(chunk);
    script.onload = () => {
      const base64 = delivered.get(chunk);
      delivered.delete(chunk);
      script.remove();
      if (base64 === undefined) reject(new DataMissing(chunk));
      else resolve(base64);
    };
    script.onerror = () => {
      script.remove();
      reject(new DataMissing(chunk));
    };
    document.head.append(script);
  });
}

function decompress(base64: string): Promise<string> {
  const stream = new Blob([decodeBase64(base64)]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream('deflate-raw'))).text();
}

export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
}
