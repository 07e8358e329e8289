/** The content of an item's result, read from its folder in the output tree. */
import { readAlignment } from '../results/alignment.ts';
import { readMolecule } from '../results/molecule.ts';
import type { MoleculeReading, ResultReading } from '../results/reading.ts';
import { readSequences } from '../results/sequence.ts';
import { readShifts } from '../results/shifts.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { artefactFile, itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';

const RESULT = artefactFile('result', null);
const DISTRIBUTIONS = ['application/json', null].map((type) => artefactFile('distributions', type));

/**
 * Null for an item that has not succeeded, or whose files have changed since they were checked.
 * @throws StoreError
 */
export async function readResult(store: Store, record: ItemRecord): Promise<ResultReading | null> {
  if (record.state !== 'succeeded') return null;
  if (record.kind === 'molecule') return readMoleculeFiles(store, record);
  const result = await readFile(store, record, RESULT);
  if (result === null) return null;
  const { names } = record.input;
  switch (record.kind) {
    case 'sequence':
      return readSequences(result, names);
    case 'alignment': {
      const file = DISTRIBUTIONS.find((name) => Object.hasOwn(record.files, name));
      const spread = file === undefined ? null : await readFile(store, record, file);
      return readAlignment(result, spread, names);
    }
    case 'shifts':
      return readShifts(result);
  }
}

async function readMoleculeFiles(
  store: Store,
  record: ItemRecord,
): Promise<MoleculeReading | null> {
  const [itp, pdb, frcmod, mol2 = null] = await Promise.all(
    ['_GMX.itp', '_NEW.pdb', '_AC.frcmod', '.mol2'].map(async (ending) => {
      const name = Object.keys(record.files).find(
        (file) => file.endsWith(ending) && !file.includes('/'),
      );
      return name === undefined ? null : readFile(store, record, name);
    }),
  );
  return itp && pdb && frcmod ? readMolecule({ itp, pdb, frcmod, mol2 }) : null;
}

async function readFile(
  store: Store,
  { kind, id }: ItemRecord,
  name: string,
): Promise<string | null> {
  try {
    return await store.readText(itemKey(store, kind, id, name));
  } catch (error) {
    // With a bucket, a changed object is noticed only when it is read.
    if (error instanceof StoreError && error.code === 'STORE_DIGEST_MISMATCH') return null;
    throw error;
  }
}
