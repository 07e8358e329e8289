/** How similar the molecules are to one of them, as a column of the table. */
import { useEffect, useState } from 'preact/hooks';
import { FINGERPRINT_BYTES, type ItemTable, type Structures } from '../../src/report/page-data.ts';
import type { Column } from './columns.ts';
import { decodeBase64, readStructures } from './embedded.ts';
import { findRow } from './route.ts';

/** Null without a molecule that the others are compared with, and while their fingerprints are being read. */
export function useSimilarity(table: ItemTable, like: string): Column | null {
  const [column, setColumn] = useState<Column | null>(null);
  useEffect(() => {
    let left = false;
    if (like === '') setColumn(null);
    else
      void readStructures().then((list) => {
        if (!left && list !== null) setColumn(compareAll(list, findRow(table, like, null), like));
      });
    return () => {
      left = true;
    };
  }, [table, like]);
  return column;
}

function compareAll(list: Structures, model: number | null, like: string): Column {
  const prints = decodeBase64(list.fingerprints);
  const one = list.rows.indexOf(model ?? -1);
  const similarities = new Map(
    list.rows.map((row, other) => [row, one < 0 ? null : compareMolecules(prints, one, other)]),
  );
  return {
    key: 'similarity',
    title: 'Similarity',
    unit: '',
    meaning: `Tanimoto similarity of the Morgan fingerprints to ${like}`,
    type: 'number',
    group: 'item',
    decimals: 2,
    isMain: true,
    verdicts: [],
    valueAt: (row) => similarities.get(row) ?? null,
  };
}

/** From 0, nothing in common, to 1: the same bits, but not necessarily the same molecule. */
function compareMolecules(prints: Uint8Array, one: number, other: number): number {
  let [both, either] = [0, 0];
  const [from, to] = [one * FINGERPRINT_BYTES, other * FINGERPRINT_BYTES];
  for (let byte = 0; byte < FINGERPRINT_BYTES; byte += 1) {
    const [a, b] = [prints[from + byte] ?? 0, prints[to + byte] ?? 0];
    both += BITS[a & b] ?? 0;
    either += BITS[a | b] ?? 0;
  }
  return either === 0 ? 1 : both / either;
}

/** The number of bits of each byte. */
const BITS = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte.toString(2).replaceAll('0', '').length,
);
