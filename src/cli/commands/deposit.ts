/**
 * `hundredfold deposit NAME`: the files for a repository, in a folder of their own: metadata to complete, and the
 * archive.
 */
import { join } from 'node:path';
import { EXIT } from '../../domain/errors.ts';
import { KINDS } from '../../domain/item.ts';
import { isObjectAddress } from '../../domain/object-store.ts';
import { programVersion } from '../../program/files.ts';
import { endedCampaign } from '../../report/campaign-document.ts';
import { makeArchive, streamArchive, type MadeArchive } from '../../report/deposit/archive.ts';
import type { Deposit } from '../../report/deposit/parts.ts';
import {
  citationStub,
  dataciteStub,
  TO_COMPLETE,
  type Described,
} from '../../report/deposit/stubs.ts';
import { absoluteAddress, addressOf } from '../../store/address.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import type { CampaignTree } from '../../campaigns/campaign-tree.ts';
import { say } from '../text/explain.ts';
import { findTreeOrFolder } from '../session/tree-or-folder.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { printDocument, printLine } from '../text/output.ts';

export interface DepositFlags extends CommonFlags {
  readonly out?: string;
  readonly zip?: boolean;
}

const CITATION = 'CITATION.cff';
const DATACITE = 'datacite.json';
/** Time between progress lines, in ms. */
const SHOW_EVERY_MS = 5_000;

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
  const made = flags.zip ? await writeArchive(tree, place, described, tags) : null;
  const files = [CITATION, DATACITE, ...(made === null ? [] : [`${name}.zip`])];
  if (flags.json) {
    const paths = { citation: addressOf(place, CITATION), datacite: addressOf(place, DATACITE) };
    const archive = made === null ? null : { path: addressOf(place, `${name}.zip`), ...made };
    printDocument({ campaign: name, ...paths, incomplete, archive });
  } else for (const file of files) printLine(addressOf(place, file));
  for (const file of incomplete) {
    say(`note: ${file} has parts marked ${TO_COMPLETE} for you to complete.`);
  }
  if (incomplete.length > 0) say('  Then run this command again to include them in the archive.');
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

/** In a folder, a killed command continues where it stopped; in a bucket, it starts again. */
async function writeArchive(
  { store }: CampaignTree,
  place: string,
  described: Described,
  tags: Readonly<Record<string, string>>,
): Promise<MadeArchive> {
  const { name, endedAt, version } = described;
  const to = await openStore(place);
  // Leftovers of an earlier run that was killed.
  await to.sweep();
  let shownAt = performance.now();
  const deposit: Deposit = {
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
      if (performance.now() - shownAt < SHOW_EVERY_MS) return;
      shownAt = performance.now();
      say(`${name}: ${done.files} files, ${(done.bytes / 1e6).toFixed(0)} MB`);
    },
  };
  const file = `${name}.zip`;
  const made = isObjectAddress(place)
    ? await streamInto(to, file, deposit)
    : await makeArchive(join(place, file), deposit);
  if (made.kept > 0) say(`${name}: kept ${made.kept} files of an earlier, interrupted attempt.`);
  await to.write(`${file}.sha256`, `${made.sha256}  ${file}\n`);
  return made;
}

async function streamInto(to: Store, file: string, deposit: Deposit): Promise<MadeArchive> {
  const { bytes, carried } = streamArchive(deposit);
  const written = await to.write(file, bytes);
  const payload = { files: carried.files, bytes: carried.bytes };
  return { bytes: written.bytes, sha256: written.sha256, payload, kept: 0 };
}
