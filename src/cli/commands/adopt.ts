/** `hundredfold adopt`: turns jobs that were submitted elsewhere into the items of a campaign, or lists them. */
import { Argument, Command, Option } from 'commander';
import { EXIT } from '../../domain/errors.ts';
import type { ServiceName } from '../../domain/campaign.ts';
import { listKindNames } from '../../kinds/registry.ts';
import {
  adopt as adoptJobs,
  chooseAdoptedName,
  type ListedJob,
  listRemoteJobs,
} from '../../runner/command-line.ts';
import { listServiceNames } from '../../services/registry.ts';
import { resolveAddress } from '../../store/layout.ts';
import { loadCommandSettings } from '../session.ts';
import { printDocument, say, printTable } from '../terminal.ts';
import { startAndFollow } from './run.ts';
import {
  call,
  checkKnown,
  detach,
  newTrees,
  noWorker,
  suggest,
  type Flags,
  createNameOption,
} from '../options.ts';

export const commands = [
  new Command('adopt')
    .description(
      'adopt jobs that were submitted elsewhere as a campaign, or list them; submits nothing',
    )
    .addArgument(suggest(new Argument('<service>', 'where the jobs are'), listServiceNames()))
    .argument(
      '[id...]',
      'ids of the jobs (request_id, hash_id); without: list those that the service has for your token',
    )
    .addOption(
      suggest(
        new Option('--kind <kind>', 'kind of the jobs, if the service does not report it'),
        listKindNames(),
      ),
    )
    .addOption(newTrees())
    .addOption(createNameOption('name of the campaign (default: adopted-SERVICE)'))
    .addOption(detach())
    .addOption(noWorker())
    .action(call(adopt)),
];

async function adopt(service: ServiceName, ids: readonly string[], flags: Flags): Promise<number> {
  const settings = loadCommandSettings(flags);
  checkKnown('service', [service], listServiceNames());
  if (flags.kind !== undefined) checkKnown('kind', [flags.kind], listKindNames());
  if (ids.length === 0) return listJobs(service, settings, flags);
  const typed = ['hundredfold adopt', service, ...ids];
  if (flags.name !== undefined) typed.push('--name', flags.name);
  if (flags.services !== undefined) typed.push('--services', flags.services);
  const { name = chooseAdoptedName(service) } = flags;
  return startAndFollow({ ...flags, name, command: typed.join(' ') }, (options) =>
    adoptJobs(service, ids, options),
  );
}

async function listJobs(
  service: ServiceName,
  settings: ReturnType<typeof loadCommandSettings>,
  flags: Flags,
): Promise<number> {
  const folder = resolveAddress(flags.out ?? settings.storeUrl);
  const local = flags.services ?? null;
  const found = await listRemoteJobs({ service, settings, local, folder });
  const { notes, incomplete } = found;
  const jobs = found.jobs.map((job) => ({ ...job, service }));
  if (flags.json) printDocument({ jobs, notes, incomplete });
  else printTable(HEADER, jobs.map(formatCells));
  for (const note of notes) say(`note: ${note}`);
  return incomplete ? EXIT.usage : EXIT.ok;
}

const HEADER = 'SERVICE KIND REMOTE_ID STATE SUBMITTED HERE NAME'.split(' ');

type Job = ListedJob & { readonly service: ServiceName };

function formatCells({ service, kind, remoteId, state, submittedAt, here, jobName }: Job) {
  const at = submittedAt && formatMinute(submittedAt);
  return [service, kind, remoteId, state, at, here?.path, jobName];
}

/** `2026-11-21T02:14Z`; as the service wrote it, if that is no time. */
function formatMinute(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : `${new Date(time).toISOString().slice(0, 16)}Z`;
}
