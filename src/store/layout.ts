/**
 * Names in the output tree (docs/output-tree.md), and addresses of trees. Pure. Keys, the paths below a campaign, are
 * built from external names (ids, file names in a service's answer), so each one is checked: a valid key can only name a
 * file inside the tree.
 */
import { dirname, join, resolve } from 'node:path';
import type { Kind } from '../domain/campaign.ts';
import { ID } from '../domain/name.ts';
import type { ArtefactName } from '../domain/outcomes.ts';
import { listKinds, isOwnKind, listKindNames, findKind } from '../kinds/registry.ts';
import { StoreError } from './store.ts';

/** Names at the top of the tree. */
export const ITEMS_TABLE = 'items.csv';
export const FAILED_TABLE = 'failed.csv';
export const CAMPAIGN_SUMMARY = 'campaign.json';
export const CHECKSUMS = 'SHA256SUMS';
export const CRATE = 'ro-crate-metadata.json';
export const REPORT = 'report.html';
export const MULTIQC = 'hundredfold_mqc.json';

const TABLE_FORMATS = ['csv', 'parquet'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** `tables/residues.csv` */
export function buildTableKey(name: string, format: TableFormat): string {
  return `tables/${name}.${format}`;
}

/** The kinds whose tables are written: our own, and those of plugins that the campaign has items of. */
export function listWrittenKinds(kinds: readonly Kind[]): readonly Kind[] {
  return listKindNames().filter((kind) => isOwnKind(kind) || kinds.includes(kind));
}

/** The tables of results and of measures of these kinds, in both formats. */
export function listTableKeys(kinds: readonly Kind[]): readonly string[] {
  const written = listWrittenKinds(kinds).map((name) => findKind(name));
  return [
    ...written.map(({ table }) => table.name),
    ...written.flatMap(({ measuresTable }) => measuresTable ?? []),
  ].flatMap((name) => TABLE_FORMATS.map((format) => buildTableKey(name, format)));
}

/** Names in an item's folder, besides the input and a molecule's files under ACPYPE's own names. */
export const ITEM_RECORD = 'item.json';
export const JOB_LOG = 'job.log';

/** In an item's folder while it is not known what became of a submission (activities/sending-note.ts): never removed by hand. */
export function nameSendingNote(generation: number, attempt: number): string {
  return `sending-${generation}-${attempt}.json`;
}

/** @param generation any if left out */
export function isSendingNote(key: string, generation?: number): boolean {
  const found = /\/sending-(\d+)-\d+\.json$/.exec(key);
  return found !== null && (generation === undefined || found[1] === String(generation));
}

/** In an item's folder: the files of a job whose result was found invalid. */
export const REJECTED = 'rejected/';

/** In a molecule's folder: files of its result set with this number, from 2. The first set has no subfolder. */
export function setFolder(number: number): string {
  return `set-${number}/`;
}

/** The folders below an item's folder that may contain files. */
const INNER_FOLDER = /^(rejected\/)?(set-\d{1,2}\/)?/;
const SET_FOLDER = /^set-(\d{1,2})\//;

/** The number of the result set that a file of an item belongs to; null for the first one, and for rejected files. */
export function parseSet(file: string): number | null {
  const number = SET_FOLDER.exec(file)?.[1];
  return number === undefined ? null : Number(number);
}

/** The runner's own files, which are not published. */
export const WORK_AREA = '.hundredfold/';
export const PREPARED_CAMPAIGN = `${WORK_AREA}campaign.json`;
export const PAGES = `${WORK_AREA}items-`;

/** Identifies this tree (lease.ts). */
export const TREE_IDENTITY = `${WORK_AREA}tree.json`;
/** The leases of the tree; the one with the highest number counts (lease.ts). */
export const LEASES = `${WORK_AREA}lease/`;

/** The lease with this number, from 1: `.hundredfold/lease/00000001.json`. */
export function buildLeaseKey(number: number): string {
  return `${LEASES}${String(number).padStart(8, '0')}.json`;
}

/** The page of items with this number, from 0: `.hundredfold/items-00000.json`. */
export function buildPageKey(page: number): string {
  return `${PAGES}${String(page).padStart(5, '0')}.json`;
}

/** The folder of an item, without a trailing slash. @throws StoreError `STORE_BAD_KEY` */
export function buildItemFolder(kind: Kind, id: string): string {
  if (!ID.test(id)) {
    throw createBadKeyError(
      id,
      'an id has 1 to 64 of A-Z a-z 0-9 . _ - and does not begin with a dot',
    );
  }
  return `${findKind(kind).folder}/${id}`;
}

/** The item whose folder contains this file; null if it is not in the folder of an item. */
export function parseItemKey(
  key: string,
): { readonly kind: Kind; readonly id: string; readonly folder: string } | null {
  const parts = key.split('/');
  const kind = listKinds().find(({ folder }) => folder === parts[0])?.name;
  const id = parts[1];
  if (kind === undefined || id === undefined || parts.length <= 2) return null;
  return { kind, id, folder: parts.slice(0, 2).join('/') };
}

/**
 * The key of a file of an item. The name may come from a service's answer: one plain name without a path, except for
 * the folders of rejected files and of further result sets.
 * @throws StoreError `STORE_BAD_KEY`
 */
export function buildItemKey(kind: Kind, id: string, file: string): string {
  const plain = file.replace(INNER_FOLDER, '');
  const fault = plain.includes('/') ? 'a file name has no slash' : findKeyFault(plain);
  if (fault !== null) throw createBadKeyError(file, fault);
  return `${buildItemFolder(kind, id)}/${file}`;
}

/** Those that may change the name of a file. */
export const CONTENT_TYPES = [null, 'application/json'] as const;

/** The name under which an artefact is stored, by its content type if the service does not fix the format. */
export function nameArtefactFile(
  kind: Kind,
  artefact: ArtefactName,
  contentType: string | null,
): string {
  const { file } = findKind(kind).artefacts[artefact] ?? { file: artefact };
  return typeof file === 'string' ? file : file(contentType);
}

/** Of an artefact that comes in pages, from 1: `mapping.0001.json`. */
export function namePage(file: string, number: number): string {
  const dot = file.indexOf('.');
  return `${file.slice(0, dot)}.${String(number).padStart(4, '0')}${file.slice(dot)}`;
}

/** The file of the result itself, the first artefact of the kind. */
export function nameResultFile(kind: Kind): string {
  return nameArtefactFile(kind, Object.keys(findKind(kind).artefacts)[0] ?? '', null);
}

/** Bytes: the limit of a name on every common file system, and of a whole key on S3. */
const MAX_SEGMENT_BYTES = 255;
const MAX_KEY_BYTES = 1024;

/** Prefix of a file while it is written. No key may begin like this. */
export const TEMPORARY_PREFIX = '.tmp-';

// C0 and C1 control codes, DEL, and the two line separators that break lists of names into lines.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Why a key is invalid, in words; null if it is valid. */
export function findKeyFault(key: string): string | null {
  if (key === '') return 'it is empty';
  if (!key.isWellFormed()) return 'it is not well-formed Unicode';
  if (CONTROL.test(key)) return 'it contains a control code';
  if (key.includes('\\')) return 'it contains a backslash';
  if (key.startsWith('/')) return 'it is an absolute path';
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `it is longer than ${MAX_KEY_BYTES} bytes`;
  for (const segment of key.split('/')) {
    if (segment === '') return 'it has an empty part';
    if (segment === '.' || segment === '..') return `it has the part "${segment}"`;
    if (segment.startsWith(TEMPORARY_PREFIX)) {
      return `a part begins with "${TEMPORARY_PREFIX}", which is kept for unfinished files`;
    }
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
      return `a part is longer than ${MAX_SEGMENT_BYTES} bytes`;
    }
  }
  return null;
}

export function createBadKeyError(key: string, fault: string): StoreError {
  return new StoreError(
    'STORE_BAD_KEY',
    `${JSON.stringify(key)} cannot be a path in the output tree: ${fault}.`,
    'Rename the item, or report the service that chose this file name; nothing was written.',
  );
}

/** The parts of a key. @throws StoreError `STORE_BAD_KEY` */
export function splitKey(key: string): readonly string[] {
  const fault = findKeyFault(key);
  if (fault !== null) throw createBadKeyError(key, fault);
  return key.split('/');
}

/** An address in its stored form: absolute, without a trailing slash. */
export function resolveAddress(address: string): string {
  if (!isObjectAddress(address)) return resolve(address);
  return address.replace(/^s3:\/\//i, 's3://').replace(/\/+$/, '');
}

/** The tree of a campaign below `root` (`store.url`, or `--out`). */
export function buildCampaignAddress(root: string, name: string): string {
  return buildAddress(resolveAddress(root), name);
}

/** A file or folder inside a tree, for messages and for opening it. */
export function buildAddress(address: string, key: string): string {
  return isObjectAddress(address) ? `${address}/${key}` : join(address, key);
}

/** A sibling of a tree, in the same store. */
export function buildAddressBeside(address: string, name: string): string {
  if (!isObjectAddress(address)) return join(dirname(address), name);
  return buildAddress(address.slice(0, address.lastIndexOf('/')), name);
}

/*
 * Object stores as named in the configuration and commands: `s3://bucket/prefix`.
 *
 * Histories contain the address of a tree but not how to reach it. Rejected: the endpoint in the address. Hosts may
 * reach a server under different names, and anyone who may start a workflow could send a worker's signed requests to
 * another server.
 */

/** How this process reaches object stores; omitted values are taken from the AWS SDK's own settings. */
export interface ObjectStoreAccess {
  /** URL of the server; default: AWS. */
  readonly endpoint?: string;
  readonly region?: string;
  /** `http://host/bucket/key` instead of `http://bucket.host/key`. */
  readonly pathStyle?: boolean;
}

export interface ObjectAddress {
  readonly bucket: string;
  /** Without a slash at either end; empty for the bucket itself. */
  readonly prefix: string;
}

export function isObjectAddress(address: string): boolean {
  return /^s3:\/\//i.test(address);
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** The parts of an address, or its fault, in words that follow "…: ". Never repeats a password. */
export function parseObjectAddress(address: string): ObjectAddress | { readonly fault: string } {
  const rest = address.replace(/^s3:\/\//i, '').replace(/\/+$/, '');
  const [bucket = '', ...segments] = rest.split('/');
  if (bucket.includes('@')) return { fault: 'it has a user name or a password in it' };
  if (/[?#\\]/.test(rest)) return { fault: 'it has a "?", a "#" or a backslash in it' };
  if (!BUCKET.test(bucket)) {
    return {
      fault: 'a bucket has 3 to 63 of a-z 0-9 . - and begins and ends with a letter or digit',
    };
  }
  if (segments.some((one) => one === '' || one === '.' || one === '..')) {
    return { fault: 'its prefix has an empty part, or a part "." or ".."' };
  }
  return { bucket, prefix: segments.join('/') };
}
