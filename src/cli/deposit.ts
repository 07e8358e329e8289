/** `hundredfold deposit NAME`: what a repository takes, in a folder of its own: metadata to complete, and the archive. */
import { EXIT } from '../domain/errors.ts';
import { KINDS } from '../domain/item.ts';
import { programVersion } from '../program/files.ts';
import { endedCampaign } from '../report/campaign-document.ts';
import { archiveOf } from '../report/deposit/archive.ts';
import {
  citationStub,
  dataciteStub,
  TO_COMPLETE,
  type Described,
} from '../report/deposit/stubs.ts';
import { absoluteAddress, addressOf } from '../store/address.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { CampaignTree } from '../campaigns/campaign-tree.ts';
import { say } from './explain.ts';
import { findTreeOrFolder } from './tree-or-folder.ts';
import type { CommonFlags } from './flags.ts';
import { printDocument, printLine } from './output.ts';

export interface DepositFlags extends CommonFlags {
  readonly out?: string;
  readonly zip?: boolean;
}

const CITATION = 'CITATION.cff';
const DATACITE = 'datacite.json';
/** Between lines that say how far it is, in ms. */
const TELL_EVERY_MS = 5_000;

export async function deposit(nameOrFolder: string, flags: DepositFlags): Promise<number> {
  const tree = await findTreeOrFolder(nameOrFolder, flags);
  const { name } = tree.campaign;
  const described = await describe(tree);
  const place = absoluteAddress(flags.out ?? `./${name}-deposit`);
  const to = await openStore(place);
  await to.create(CITATION, citationStub(described));
  await to.create(DATACITE, dataciteStub(described));
  const tags: Readonly<Record<string, string>> = {
    [CITATION]: (await to.readText(CITATION)) ?? '',
    [DATACITE]: (await to.readText(DATACITE)) ?? '',
  };
  const incomplete = Object.keys(tags).filter((key) => tags[key]?.includes(TO_COMPLETE));
  const made = flags.zip ? await writeArchive(tree, to, described, tags) : null;
  const files = [CITATION, DATACITE, ...(made === null ? [] : [`${name}.zip`])];
  if (flags.json) {
    const paths = { citation: addressOf(place, CITATION), datacite: addressOf(place, DATACITE) };
    const archive = made === null ? null : { path: addressOf(place, `${name}.zip`), ...made };
    printDocument({ campaign: name, ...paths, incomplete, archive });
  } else for (const file of files) printLine(addressOf(place, file));
  for (const file of incomplete) {
    say(`note: ${file} has parts marked ${TO_COMPLETE}, which only you can complete.`);
  }
  if (incomplete.length > 0) say('  Then type this command again: the archive takes them in.');
  return EXIT.ok;
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

interface Made {
  readonly bytes: number;
  readonly sha256: string;
  /** What it carries. */
  readonly payload: { readonly files: number; readonly bytes: number };
}

async function writeArchive(
  { store }: CampaignTree,
  to: Store,
  described: Described,
  tags: Readonly<Record<string, string>>,
): Promise<Made> {
  const { name, endedAt, version } = described;
  // What a former try left, when it was killed.
  await to.sweep();
  let told = performance.now();
  const { bytes, carried } = archiveOf({
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
    onFile: (done) => {
      if (performance.now() - told < TELL_EVERY_MS) return;
      told = performance.now();
      say(`${name}: ${done.files} files, ${(done.bytes / 1e6).toFixed(0)} MB`);
    },
  });
  const written = await to.write(`${name}.zip`, bytes);
  await to.write(`${name}.zip.sha256`, `${written.sha256}  ${name}.zip\n`);
  const payload = { files: carried.files, bytes: carried.bytes };
  return { bytes: written.bytes, sha256: written.sha256, payload };
}
