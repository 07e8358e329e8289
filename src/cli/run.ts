/** `hundredfold run`: checks the manifests, starts or resumes the campaign, shows progress until it ends. */
import { join, resolve } from 'node:path';
import { loadSettings, type Settings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { SERVICE_OF_KIND, type Kind, type ServiceName } from '../domain/item.ts';
import { localSettings } from '../host/local.ts';
import { openSession, type Session } from '../host/session.ts';
import { campaignName } from '../manifest/name.ts';
import { readManifests, type ManifestReading } from '../manifest/read-all.ts';
import { openFileStore } from '../store/filesystem.ts';
import { startInBackground } from './background.ts';
import { startCampaign, type CampaignStart } from './campaign-start.ts';
import { follow } from './follow.ts';
import { explainProblems, say } from './explain.ts';
import type { CommonFlags } from './main.ts';
import { logToFolder } from './worker-log.ts';
import { endedSummary, exitCodeOf, printSummary } from './summary.ts';

export interface RunFlags extends CommonFlags {
  readonly out?: string;
  readonly name?: string;
  readonly services?: 'local';
  readonly allowOutside?: boolean;
  readonly detach?: boolean;
  readonly yes?: boolean;
}

export async function run(manifests: string[], flags: RunFlags): Promise<number> {
  const settings = loadSettings(flags.config, process.env);
  const reading = await readManifests(manifests, { allowOutside: flags.allowOutside ?? false });
  if (!accepted(reading, flags)) return EXIT.refused;
  const name = flags.name ?? campaignName(manifests);
  const folder = join(resolve(flags.out ?? settings.storeUrl), name);
  const feeds = chooseServices(settings, flags, reading.kinds);
  const start: CampaignStart = { name, folder, reading, feeds, policy: settings.policy };

  const options = { settings, environment: process.env, localServices: flags.services === 'local' };
  logToFolder(settings);
  if (flags.detach) await startInBackground(settings, flags);
  const session = await openSession(options);
  try {
    await startCampaign(session, start);
    if (flags.detach) return started(name, folder, flags);
    const end = await follow(session, { name, folder });
    if (end === 'interrupted') return interrupted(session, name);
    const summary = await endedSummary(await openFileStore(folder), folder);
    printSummary(summary, flags.json ?? false);
    return exitCodeOf(summary);
  } finally {
    await session.close();
  }
}

/** All problems at once; nothing is submitted while one of them is an error. */
function accepted(reading: ManifestReading, { json }: RunFlags): boolean {
  const errors = reading.problems.filter(({ severity }) => severity === 'error');
  if (json && errors.length > 0) {
    process.stdout.write(`${JSON.stringify({ rows: reading.rows, problems: reading.problems })}\n`);
  }
  explainProblems(reading.problems);
  if (errors.length > 0) {
    say(
      `hundredfold: ${errors.length} of the problems must be mended first; nothing was submitted.`,
    );
    return false;
  }
  if (reading.items.length === 0) {
    throw new HundredfoldError({
      code: 'MANIFEST_EMPTY',
      message: 'the manifest has no rows',
      remedy: 'Add a row for each molecule, sequence, alignment or shift file: docs/manifest.md.',
      exitCode: EXIT.refused,
    });
  }
  return true;
}

/** The services that the kinds in the manifest need. */
function chooseServices(
  settings: Settings,
  flags: RunFlags,
  kinds: Readonly<Record<Kind, number>>,
): CampaignStart['feeds'] {
  const needed = new Set<ServiceName>();
  for (const kind of Object.keys(kinds) as Kind[])
    if (kinds[kind] > 0) needed.add(SERVICE_OF_KIND[kind]);
  const local = flags.services === 'local' ? localSettings(process.env) : [];
  return [...needed].map((name) => {
    const service =
      local.find(({ reference }) => reference.service === name) ?? settings.services[name];
    if (service) return service;
    throw new HundredfoldError({
      code: 'CONFIG_NO_SERVICE',
      message: `the manifest needs the service "${name}", and none is configured`,
      remedy:
        'Add `--services local` to try it with the services of this project, or name the real one: ' +
        `services.${name}.url in hundredfold.yaml (docs/configuration.md).`,
      exitCode: EXIT.refused,
    });
  });
}

function started(name: string, folder: string, { json }: RunFlags): number {
  if (json)
    process.stdout.write(`${JSON.stringify({ campaign: name, state: 'running', out: folder })}\n`);
  say(`${name} runs in the background, into ${folder}.`);
  say(`  hundredfold watch ${name}    shows it; hundredfold stop stops the server.`);
  return EXIT.ok;
}

function interrupted(session: Session, name: string): number {
  const others =
    session.role === 'joined' ? ' The command that runs the server goes on with it.' : '';
  say(`Stopped. ${name} is safe on disk; the same command goes on with it.${others}`);
  return EXIT.interrupted;
}
