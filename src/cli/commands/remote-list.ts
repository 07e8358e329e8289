/**
 * `hundredfold remote list`: the jobs that the services still have for our token, and which of them this folder has.
 * Needs no Temporal.
 */
import type { Settings } from '../../config/settings.ts';
import { EXIT } from '../../domain/errors.ts';
import { SERVICES, type ServiceName } from '../../domain/item.ts';
import { say } from '../text/explain.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { printDocument } from '../text/output.ts';
import { printTable } from '../text/table.ts';
import {
  remoteJobs,
  withServices,
  type ListedJob,
  type RemoteJobs,
} from '../../campaigns/remote-jobs.ts';
import { absoluteAddress } from '../../store/address.ts';
import { commandSettings } from '../session/command-settings.ts';

interface RemoteListFlags extends ServiceFlags {
  readonly out?: string;
}

export async function remoteList(
  service: ServiceName | undefined,
  flags: RemoteListFlags,
): Promise<number> {
  const settings = commandSettings(flags);
  const folder = absoluteAddress(flags.out ?? settings.storeUrl);
  const services = new Set(service ? [service] : knownOf(settings, flags));
  const local = flags.services === 'local';
  const wanted = { services, local, who: '`hundredfold remote list`' };
  const found = await withServices(settings, wanted, (known) => remoteJobs(known, folder));
  if (flags.json) printDocument(documentOf(found));
  else printTable(HEADER, found.jobs.map(cellsOf));
  for (const note of found.notes) say(`note: ${note}`);
  return found.incomplete ? EXIT.usage : EXIT.ok;
}

/** All configured services; if there are none, the error shows how to configure them. */
function knownOf(settings: Settings, { services }: ServiceFlags): readonly ServiceName[] {
  const known = SERVICES.filter((name) => settings.services[name] !== undefined);
  return services === 'local' || known.length === 0 ? SERVICES : known;
}

function documentOf({ jobs, notes, incomplete }: RemoteJobs) {
  return {
    jobs: jobs.map(({ here, ...job }) => ({
      ...job,
      here: here && { campaign: here.campaign, id: here.id, state: here.state, path: here.path },
    })),
    notes,
    incomplete,
  };
}

const HEADER = [
  'SERVICE',
  'KIND',
  'REMOTE_ID',
  'STATE',
  'SUBMITTED',
  'DELETED_AFTER',
  'HERE',
  'NAME',
];

function cellsOf(job: ListedJob): string[] {
  const { service, kind, remoteId, state, submittedAt, deletedAt, here, jobName } = job;
  const times = [submittedAt, deletedAt].map((time) => (time === null ? '-' : minuteOf(time)));
  return [
    ...[service, kind, remoteId, state ?? '-', ...times],
    ...[here === null ? '-' : here.path, jobName ?? ''],
  ];
}

/** `2026-11-21T02:14Z`; a text that is not a time is returned unchanged. */
function minuteOf(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : `${new Date(time).toISOString().slice(0, 16)}Z`;
}
