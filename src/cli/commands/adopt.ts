/** `hundredfold adopt`: turns jobs that were submitted elsewhere into the items of a campaign (docs/adopting.md). */
import { join } from 'node:path';
import {
  checkAdoption,
  namedJobs,
  pastJobs,
  type AdoptedJobs,
  type Adoption,
} from '../../campaigns/adopt.ts';
import { ADOPTED_MANIFEST, addAdopted, withLocalCopy } from '../../campaigns/adopted-manifest.ts';
import { codedError, EXIT } from '../../domain/errors.ts';
import type { Kind, ServiceName } from '../../domain/item.ts';
import { isObjectAddress } from '../../domain/object-store.ts';
import { absoluteAddress, addressOf } from '../../store/address.ts';
import { commandSettings } from '../session/command-settings.ts';
import type { RunFlags } from '../session/run-campaign.ts';
import { say } from '../text/explain.ts';
import { printDocument } from '../text/output.ts';
import { run } from './run.ts';

interface AdoptFlags extends RunFlags {
  readonly past?: boolean;
  readonly kind?: Kind;
}

export async function adopt(
  service: ServiceName,
  ids: readonly string[],
  flags: AdoptFlags,
): Promise<number> {
  const { past = false, kind = null, name = null } = flags;
  if (ids.length > 0 === past) throw codedError('ADOPT_NOTHING_NAMED', { service });
  checkAdoption({ service, kind }, ids);
  const settings = commandSettings(flags);
  const out = flags.out ?? settings.storeUrl;
  const local = flags.services === 'local';
  const order = { service, settings, local, folder: absoluteAddress(out), name, kind };
  const wanted = past ? await allPast(order) : await namedJobs(order, [...new Set(ids)]);
  if (wanted === null) {
    if (flags.json) printDocument({ campaign: null, adopted: 0 });
    return EXIT.ok;
  }
  const tree = addressOf(order.folder, wanted.name);
  await addAdopted(tree, wanted.rows);
  const runWith = (manifest: string) => run([manifest], { ...flags, name: wanted.name });
  if (isObjectAddress(tree)) return withLocalCopy(tree, runWith);
  return runWith(join(out, wanted.name, ADOPTED_MANIFEST));
}

async function allPast(order: Adoption): Promise<AdoptedJobs | null> {
  const { service, folder } = order;
  const { adopted, listed, here, failed, fresh, notes } = await pastJobs(order);
  say(`${service} has ${listed} jobs: ${here} already in ${folder}, ${fresh} new.`);
  if (failed > 0) say(`  ${failed} failed there and are skipped; give their ids to adopt them.`);
  for (const note of notes) say(`note: ${note}`);
  if (adopted === null) say('There is nothing to adopt.');
  return adopted;
}
