/** The files for a repository, in a folder of their own: metadata to complete, and the archive of an output tree. */
import { join } from 'node:path';
import { KINDS } from '../domain/item.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import { programVersion } from '../program/files.ts';
import { endedCampaign } from '../report/campaign-document.ts';
import { makeArchive, streamArchive, type MadeArchive } from '../report/deposit/archive.ts';
import type { Deposit } from '../report/deposit/parts.ts';
import {
  citationStub,
  dataciteStub,
  TO_COMPLETE,
  type Described,
} from '../report/deposit/stubs.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { CampaignTree } from './campaign-tree.ts';

export const CITATION = 'CITATION.cff';
export const DATACITE = 'datacite.json';

interface DepositOptions {
  /** Where the files are written: a folder, or an address in a bucket. */
  readonly place: string;
  readonly zip: boolean;
  /** Called for each file of the tree that is in the archive, with all so far. */
  readonly onFile: NonNullable<Deposit['onFile']>;
}

interface Deposited {
  /** Files that the user has to complete. */
  readonly incomplete: readonly string[];
  /** Null without `zip`. */
  readonly archive: MadeArchive | null;
}

export async function depositTree(
  tree: CampaignTree,
  { place, zip, onFile }: DepositOptions,
): Promise<Deposited> {
  const described = await describe(tree);
  const to = await openStore(place);
  await to.create(CITATION, citationStub(described));
  await to.create(DATACITE, dataciteStub(described));
  const tags: Readonly<Record<string, string>> = {
    [CITATION]: (await to.readText(CITATION)) ?? '',
    [DATACITE]: (await to.readText(DATACITE)) ?? '',
  };
  const incomplete = Object.keys(tags).filter((key) => tags[key]?.includes(TO_COMPLETE));
  if (!zip) return { incomplete, archive: null };
  const deposit = { ...depositOf(tree, described, tags), onFile };
  return { incomplete, archive: await writeArchive(place, deposit) };
}

async function describe({ campaign, folder, store }: CampaignTree): Promise<Described> {
  const { document } = await endedCampaign(store, folder);
  return {
    name: campaign.name,
    succeeded: document.items.succeeded,
    kinds: await kindsIn(store),
    endedAt: document.endedAt ?? document.startedAt,
    version: programVersion(),
  };
}

async function kindsIn(store: Store): Promise<Described['kinds']> {
  const text = (await store.readText('campaign.json')) ?? '{}';
  const { kinds = {} } = JSON.parse(text) as { readonly kinds?: object };
  return KINDS.filter((kind) => kind in kinds);
}

function depositOf(
  { store }: CampaignTree,
  { name, endedAt, version }: Described,
  tags: Readonly<Record<string, string>>,
): Omit<Deposit, 'onFile'> {
  return {
    store,
    name,
    tags,
    modified: new Date(endedAt),
    facts: {
      'External-Identifier': name,
      'External-Description': `Output tree of the campaign ${name}`,
      'Bagging-Date': endedAt.slice(0, 10),
      'Bag-Software-Agent': `hundredfold ${version}`,
    },
  };
}

/** In a folder, a killed command continues where it stopped; in a bucket, it starts again. */
async function writeArchive(place: string, deposit: Deposit): Promise<MadeArchive> {
  const to = await openStore(place);
  // Leftovers of an earlier run that was killed.
  await to.sweep();
  const file = `${deposit.name}.zip`;
  const made = isObjectAddress(place)
    ? await streamInto(to, file, deposit)
    : await makeArchive(join(place, file), deposit);
  await to.write(`${file}.sha256`, `${made.sha256}  ${file}\n`);
  return made;
}

async function streamInto(to: Store, file: string, deposit: Deposit): Promise<MadeArchive> {
  const { bytes, carried } = streamArchive(deposit);
  const written = await to.write(file, bytes);
  const payload = { files: carried.files, bytes: carried.bytes };
  return { bytes: written.bytes, sha256: written.sha256, payload, kept: 0 };
}
