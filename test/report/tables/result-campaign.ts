/**
 * A campaign of recorded results of the real engines, as activities leave it, with columns that spreadsheets execute.
 */
import type { Item } from '../../../src/domain/campaign.ts';
import { readNativeFiles } from '../../../src/kinds/molecule/files.ts';
import { openFileStore } from '../../../src/store/file-store.ts';
import { prepareCampaign } from '../../../src/store/prepare.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  acpypeRecording,
  finishedRecord,
  recordedOptions,
  recordingText,
} from '../../services/recordings.ts';
import { aMolecule, aSequence } from '../../store/an-item.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import { CAMPAIGN, endItem, type Ending } from '../a-campaign.ts';

export interface Ended {
  readonly item: Item;
  /** By name in the item's folder. */
  readonly files: Readonly<Record<string, string>>;
  readonly changes?: Ending;
}

/** Hostile cells and names of columns. */
export const HOSTILE_USER = {
  project: '=cmd|"/c calc"!A1',
  'said "so", twice': 'a "quote", a comma\nand a line',
  'émoji 🧪': '  blanks and 🧬  ',
  '=1+1': '@SUM(1)',
  'a.b': '-1.5',
  Atoms: 'his own',
  Residue_Index: '7',
  empty: '',
  "x'); DROP TABLE t; --": "O'Hara",
};

export function moleculeEnd(id: string, recording: string, changes: Partial<Item> = {}): Ended {
  const recorded = acpypeRecording(recording);
  const options = recordedOptions(recorded);
  const native = readNativeFiles(finishedRecord(recorded), options);
  if (!native.ok) throw new Error(native.message);
  const files = native.files.map(({ fileName, text }) => [fileName, text] as const);
  return { item: aMolecule(id, { options, ...changes }), files: Object.fromEntries(files) };
}

export function sequenceEnd(id: string, result: string, changes: Partial<Item> = {}): Ended {
  return { item: aSequence(id, { user: {}, ...changes }), files: { 'result.json': result } };
}

export function alignmentEnd(id: string, recording: string, changes: Partial<Item> = {}): Ended {
  const files = {
    'result.json': recordingText(`b2btools/msa/${recording}`),
    'distributions.json': recordingText(`b2btools/msa/${recording}.distributions`),
  };
  const options: Item['options'] = { kind: 'alignment' };
  return { item: aSequence(id, { kind: 'alignment', options, user: {}, ...changes }), files };
}

export function shiftsEnd(id: string, recording: string, changes: Partial<Item> = {}): Ended {
  const options: Item['options'] = { kind: 'shifts', modelClass: '1', originalNumbering: true };
  const item = aSequence(id, { kind: 'shifts', options, user: {}, ...changes });
  return { item, files: { 'result.json': recordingText(`b2btools/shiftcrypt/${recording}`) } };
}

/** One of each kind, NaN and nulls among their values, and rows without a result. */
export function everyKind(): Ended[] {
  const user = HOSTILE_USER;
  const psper = recordingText('b2btools/edge/len_20-all5').replace(
    /"earlyFolding":\s*\[\s*[\d.e-]+/,
    '"earlyFolding": [NaN',
  );
  return [
    {
      ...moleculeEnd('aspirin', 'smi-aspirin-bcc-0-gaff2', { user }),
      changes: { engine: 'recorded, ACPYPE 2023.10.27' },
    },
    sequenceEnd('p1', psper, { user }),
    alignmentEnd('globins', 'globins6-all4', { user: { project: 'globins' } }),
    shiftsEnd('talin', 'bmr15457_talin_nef-model1', { user }),
    moleculeEnd('choline', 'smi-choline-bcc-1-gaff2', { user: { other: 'choline only' } }),
    sequenceEnd('p2', recordingText('b2btools/edge/len_5-dynamine')),
    {
      ...moleculeEnd('lost', 'smi-ethanol-bcc-0-gaff2', { user: { 'of the lost': '1' } }),
      changes: { state: 'failed', error: { code: 'JOB_FAILED', message: 'teLeap failed' } },
    },
    {
      ...moleculeEnd('shape', 'smi-ethanol-bcc-auto-gaff2'),
      changes: { engine: 'synthetic' },
    },
  ];
}

export async function resultCampaign(ended: readonly Ended[], given?: Store): Promise<Store> {
  const store = given ?? (await openFileStore(await temporaryFolder()));
  const items = ended.map(({ item }) => item);
  await prepareCampaign(store, CAMPAIGN, items, { pageSize: 3 });
  for (const { item, files, changes } of ended) await endItem(store, item, changes ?? {}, files);
  return store;
}
