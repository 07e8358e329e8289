/** The files of the tree outside the items' folders: the tables, the report, the summary. */
import { kindNames } from '../kinds/registry.ts';
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  FAILED_TABLE,
  ITEMS_TABLE,
  REPORT,
  tableKeys,
} from '../store/layout.ts';
import type { Store } from '../store/store.ts';

/** An entity of a crate. */
export interface Entity {
  readonly '@id': string;
  readonly [property: string]: unknown;
}

const MEANING: Readonly<Record<string, string>> = {
  [CAMPAIGN_SUMMARY]: 'What ran: manifests, settings, versions, counts and times',
  [ITEMS_TABLE]: 'One row an item: its state, its job and where its files are',
  [FAILED_TABLE]: 'The rows that failed or are held, each with its reason: a manifest again',
  [REPORT]: 'The results to look at, in any browser',
  [CHECKSUMS]: 'SHA-256 of every file, for sha256sum --check',
};

const FORMATS: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  parquet: 'application/vnd.apache.parquet',
};

/** Sorted by key; only existing files. */
export async function filesAtTop(store: Store): Promise<readonly Entity[]> {
  const keys: string[] = [];
  for (const key of [...Object.keys(MEANING), ...tableKeys(kindNames())]) {
    // The checksums are written later, as they cover this file.
    if (key === CHECKSUMS || (await store.exists(key))) keys.push(key);
  }
  return keys.sort().map(fileEntity);
}

function fileEntity(key: string): Entity {
  const ending = key.slice(key.lastIndexOf('.') + 1);
  return {
    '@id': encodeURI(key),
    '@type': 'File',
    name: key,
    ...(MEANING[key] !== undefined && { description: MEANING[key] }),
    encodingFormat: FORMATS[ending] ?? 'text/plain',
  };
}
