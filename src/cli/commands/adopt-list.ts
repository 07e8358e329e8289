/**
 * `hundredfold adopt SERVICE` without ids: the jobs that the service still has for our token, and which of them this
 * folder has. Needs no Temporal.
 */
import { EXIT } from '../../domain/errors.ts';
import type { ServiceName } from '../../domain/item.ts';
import { say } from '../text/explain.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { printDocument } from '../text/output.ts';
import { printTable } from '../text/table.ts';
import {
  remoteJobs,
  withServices,
  type ListedJob,
  type RemoteJobs,
} from '../../runner/remote-jobs.ts';
import { absoluteAddress } from '../../store/layout.ts';
import { commandSettings } from '../session.ts';

interface ListFlags extends ServiceFlags {
  readonly out?: string;
}

export async function listJobs(service: ServiceName, flags: ListFlags): Promise<number> {
  const settings = commandSettings(flags);
  const folder = absoluteAddress(flags.out ?? settings.storeUrl);
  const services = new Set([service]);
  const local = flags.services ?? null;
  const wanted = { services, local, who: '`hundredfold adopt`' };
  const found = await withServices(settings, wanted, (known) => remoteJobs(known, folder));
  if (flags.json) printDocument(documentOf(found));
  else printTable(HEADER, found.jobs.map(cellsOf));
  for (const note of found.notes) say(`note: ${note}`);
  return found.incomplete ? EXIT.usage : EXIT.ok;
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
