/** `hundredfold adopt`: turns jobs that were submitted elsewhere into the items of a campaign, or lists them. */
import { adoptJobs, type PastJobs } from '../../runner/adopt.ts';
import { kindNames } from '../../kinds/registry.ts';
import { serviceNames } from '../../services/registry.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import type { Kind, ServiceName } from '../../domain/item.ts';
import { absoluteAddress } from '../../store/layout.ts';
import { checkChoice, commandSettings } from '../session.ts';
import { say } from '../text/explain.ts';
import { printDocument } from '../text/output.ts';
import { listJobs } from './adopt-list.ts';
import { run, type RunFlags } from './run.ts';

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
  const settings = commandSettings(flags);
  checkChoice('the service', service, serviceNames());
  checkChoice('--kind', flags.kind, kindNames());
  if (ids.length === 0 && !past) return listJobs(service, flags);
  if (ids.length > 0 && past)
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      'give either the ids of the jobs or --past',
      `hundredfold adopt ${service} ID…   or   hundredfold adopt ${service} --past`,
    );
  const folder = absoluteAddress(flags.out ?? settings.storeUrl);
  const order = { service, settings, local: flags.services ?? null, folder, name, kind };
  const typed = ['hundredfold adopt', service, ...(past ? ['--past'] : ids)];
  if (name !== null) typed.push('--name', name);
  if (flags.services !== undefined) typed.push('--services', flags.services);
  const command = typed.join(' ');
  const onPast = (found: PastJobs): void => sayPast(order, found);
  const adopted = await adoptJobs(
    order,
    { ids: past ? 'past' : ids, onPast },
    (manifest, campaign) => run([manifest], { ...flags, name: campaign, command }),
  );
  if (adopted === null && flags.json) printDocument({ campaign: null, adopted: 0 });
  return adopted ?? EXIT.ok;
}

function sayPast(
  { service, folder }: { readonly service: ServiceName; readonly folder: string },
  { adopted, listed, here, failed, fresh, notes }: PastJobs,
): void {
  say(`${service} has ${listed} jobs: ${here} already in ${folder}, ${fresh} new.`);
  if (failed > 0) say(`  ${failed} failed there and are skipped; give their ids to adopt them.`);
  for (const note of notes) say(`note: ${note}`);
  if (adopted === null) say('There is nothing to adopt.');
}
