/** `hundredfold adopt`: turns jobs that were submitted elsewhere into the items of a campaign (docs/adopting.md). */
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import type { ErrorCode } from '../../domain/error-codes/registry.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { KINDS, SERVICE_OF_KIND, type Kind, type ServiceName } from '../../domain/item.ts';
import { isUsableId } from '../../domain/remote-id.ts';
import { isFinal } from '../../domain/states.ts';
import { jobsInFolder, type JobsInFolder, namesIn } from '../../store/jobs-in-folder.ts';
import {
  ADOPTED_MANIFEST,
  addAdopted,
  readAdopted,
  type AdoptedRow,
  withLocalCopy,
} from '../../campaigns/adopted-manifest.ts';
import { say } from '../text/explain.ts';
import {
  remoteJobs,
  withServices,
  type RemoteJob,
  type RemoteJobs,
} from '../../campaigns/remote-jobs.ts';
import type { RunFlags } from '../session/run-campaign.ts';
import { run } from './run.ts';
import { isObjectAddress } from '../../domain/object-store.ts';
import { absoluteAddress, addressOf } from '../../store/address.ts';
import { commandSettings } from '../session/command-settings.ts';
import { printDocument } from '../text/output.ts';

interface AdoptFlags extends RunFlags {
  readonly past?: boolean;
  readonly kind?: Kind;
}

interface Order {
  readonly service: ServiceName;
  readonly flags: AdoptFlags;
  readonly settings: Settings;
  /** The folder of the campaigns. */
  readonly folder: string;
}

export async function adopt(
  service: ServiceName,
  ids: readonly string[],
  flags: AdoptFlags,
): Promise<number> {
  checkArguments(service, ids, flags);
  const settings = commandSettings(flags);
  const out = flags.out ?? settings.storeUrl;
  const order: Order = { service, flags, settings, folder: absoluteAddress(out) };
  const wanted = flags.past ? await pastJobs(order) : await namedJobs(order, [...new Set(ids)]);
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

interface Wanted {
  readonly name: string;
  readonly rows: readonly AdoptedRow[];
}

function checkArguments(
  service: ServiceName,
  ids: readonly string[],
  { past, kind }: AdoptFlags,
): void {
  if (ids.length > 0 === (past === true)) {
    throw refused('ADOPT_NOTHING_NAMED', 'give either the ids of the jobs or --past', [
      `hundredfold adopt ${service} ID…   or   hundredfold adopt ${service} --past`,
    ]);
  }
  if (kind !== undefined && SERVICE_OF_KIND[kind] !== service) {
    throw refused('ADOPT_KIND_OF_OTHER', `${kind} is not a kind of the service ${service}`, [
      `Its kinds are ${kindsOf(service).join(', ')}.`,
    ]);
  }
  const bad = ids.filter((id) => !isUsableId(id));
  if (bad.length > 0) {
    const shown = bad.slice(0, 3).map((id) => JSON.stringify(id));
    throw refused('ADOPT_ID_INVALID', `${shown.join(', ')} cannot be the id of a job`, [
      'Give only the request_id or hash_id, without the rest of its URL.',
    ]);
  }
}

/** Jobs by their ids. The same command continues the campaign that has one of them. */
async function namedJobs(order: Order, ids: readonly string[]): Promise<Wanted> {
  const { service, flags, folder } = order;
  const has = (rows: readonly AdoptedRow[]): boolean =>
    rows.some(({ remote_id: id }) => ids.includes(id));
  const name = flags.name ?? (await formerCampaign(order, has)) ?? newName(service);
  const former = new Map(
    (await readAdopted(addressOf(folder, name))).map((row) => [row.remote_id, row] as const),
  );
  const [only, ...others] = kindsOf(service);
  const kind = flags.kind ?? (others.length === 0 ? only : undefined);
  const rows = ids.flatMap((id): AdoptedRow[] => {
    const known = kind ?? former.get(id)?.kind;
    return known === undefined ? [] : [{ ...idFor(id), kind: known, remote_id: id }];
  });
  const unclear = ids.filter((id) => !rows.some(({ remote_id: known }) => known === id));
  return { name, rows: [...rows, ...(unclear.length === 0 ? [] : await looked(order, unclear))] };
}

/** Jobs whose kind is unknown: each list of past results is of one kind (contract 4.7). */
async function looked(order: Order, ids: readonly string[]): Promise<readonly AdoptedRow[]> {
  const { jobs, notes } = await listed(order);
  const found = jobs.filter(({ remoteId }) => ids.includes(remoteId));
  const missing = ids.filter((id) => !found.some(({ remoteId }) => remoteId === id));
  if (missing.length > 0) {
    const shown = missing.slice(0, 3).join(', ') + (missing.length > 3 ? ', …' : '');
    const why = notes.length > 0 ? ` (${notes.join('; ')})` : '';
    const what = `the past results of your token do not have ${shown}${why}: its kind is not known`;
    throw refused('ADOPT_KIND_UNKNOWN', what, [
      `Set it with --kind (${kindsOf(order.service).join(', ')}), in one command per kind.`,
    ]);
  }
  return found.map(rowOf);
}

/** Every job that the service still has and this folder does not. */
async function pastJobs(order: Order): Promise<Wanted | null> {
  const { service, flags, folder } = order;
  const list = await listed(order);
  checkList(order, list);
  const here = await jobsInFolder(folder, service);
  const isOpen = (rows: readonly AdoptedRow[]): boolean => rows.some((row) => !hasEnded(row, here));
  const former = flags.name ?? (await formerCampaign(order, isOpen));
  const name = former ?? newName(service);
  const own = new Set((await readAdopted(addressOf(folder, name))).map((row) => row.remote_id));
  const wanted = list.jobs.filter(({ kind }) => flags.kind === undefined || kind === flags.kind);
  const others = wanted.filter(({ remoteId }) => !own.has(remoteId));
  const there = wanted.length - others.filter((job) => job.here === null).length;
  const failed = others.filter((job) => job.here === null && isFailed(job));
  const fresh = others.filter(
    (job) => job.here === null && !isFailed(job) && isUsableId(job.remoteId),
  );
  say(`${service} has ${wanted.length} jobs: ${there} already in ${folder}, ${fresh.length} new.`);
  if (failed.length > 0)
    say(`  ${failed.length} failed there and are skipped; give their ids to adopt them.`);
  for (const note of list.notes) say(`note: ${note}`);
  if (fresh.length === 0 && own.size === 0) {
    say('There is nothing to adopt.');
    return null;
  }
  return { name, rows: fresh.map(rowOf) };
}

function checkList({ service }: Order, { jobs, notes, incomplete }: RemoteJobs): void {
  if (incomplete) {
    throw new HundredfoldError({
      code: 'ADOPT_LIST_UNAVAILABLE',
      message: `the past results of ${service} could not be read: ${notes.join('; ')}`,
      remedy: 'Nothing was started. Try again when the service answers: hundredfold doctor.',
    });
  }
  if (jobs.length > 0 || service !== 'molecules') return;
  throw refused('ADOPT_NO_LIST', `--past is not possible here: ${notes.join('; ')}`, [
    `Name the jobs: hundredfold adopt ${service} ID…`,
  ]);
}

function isFailed({ state }: RemoteJob): boolean {
  return state?.toUpperCase() === 'FAILED';
}

function hasEnded({ remote_id: id }: AdoptedRow, { jobs }: JobsInFolder): boolean {
  const holder = jobs.get(id);
  return holder !== undefined && isFinal(holder.state);
}

async function listed({ service, flags, settings, folder }: Order): Promise<RemoteJobs> {
  const local = flags.services === 'local';
  const wanted = { services: new Set([service]), local, who: '`hundredfold adopt`' };
  return withServices(settings, wanted, (known) => remoteJobs(known, folder));
}

function rowOf({ kind, remoteId, jobName }: RemoteJob): AdoptedRow {
  const title = jobName === null ? {} : { title: jobName };
  return { ...idFor(remoteId), kind, remote_id: remoteId, ...title };
}

/** The job's id names the item if it is valid as a folder name; otherwise the row gets an id from its line number. */
function idFor(remoteId: string): { readonly id?: string } {
  return /^(?!\.)[A-Za-z0-9._-]{1,64}$/.test(remoteId) ? { id: remoteId } : {};
}

function kindsOf(service: ServiceName): readonly Kind[] {
  return KINDS.filter((kind) => SERVICE_OF_KIND[kind] === service);
}

/** With today's date in local time. */
function newName(service: ServiceName): string {
  return `adopted-${service}-${new Intl.DateTimeFormat('sv-SE').format(new Date())}`;
}

/** The newest campaign that `adopt` named itself and that fits: the same command resumes it, also on another day. */
async function formerCampaign(
  { service, folder }: Order,
  fits: (rows: readonly AdoptedRow[]) => boolean,
): Promise<string | null> {
  const named = new RegExp(`^adopted-${service}-\\d{4}-\\d\\d-\\d\\d$`);
  const names = (await namesIn(folder)).filter((name) => named.test(name));
  for (const name of names.reverse()) {
    if (fits(await readAdopted(addressOf(folder, name)))) return name;
  }
  return null;
}

function refused(code: ErrorCode, message: string, remedy: readonly string[]): HundredfoldError {
  return new HundredfoldError({
    code,
    message,
    remedy: remedy.join(' '),
  });
}
