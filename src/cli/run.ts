/** `hundredfold run`: checks the manifests, starts or resumes the campaign, shows progress until it ends. */
import { join, resolve } from 'node:path';
import { loadSettings, type ServiceSettings, type Settings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { SERVICE_OF_KIND, type Kind, type ServiceName } from '../domain/item.ts';
import { localSettings } from '../host/local.ts';
import { waitForLock } from '../host/lock.ts';
import { openSession, type Session } from '../host/session.ts';
import { campaignName } from '../manifest/name.ts';
import { readManifests, type ManifestReading } from '../manifest/read-all.ts';
import { openFileStore } from '../store/filesystem.ts';
import { backgroundRuns, startInBackground } from './background.ts';
import { startCampaign, type CampaignStart, type Started } from './campaign-start.ts';
import { findCampaign } from './campaigns.ts';
import { conclude, print } from './conclusion.ts';
import { follow } from './follow.ts';
import { explainProblems, say } from './explain.ts';
import type { ServiceFlags } from './flags.ts';
import { Interruption } from './interruption.ts';
import { observe } from './observe.ts';
import { openDocument } from './open-document.ts';
import { uiLink } from './ui-link.ts';
import { logToFolder } from './worker-log.ts';

export interface RunFlags extends ServiceFlags {
  readonly out?: string;
  readonly name?: string;
  readonly allowOutside?: boolean;
  readonly detach?: boolean;
  /** False with --no-worker. */
  readonly worker?: boolean;
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

  await checkOutput(folder);
  const interruption = new Interruption();
  const options = {
    ...{ settings, environment: process.env, localServices: flags.services === 'local' },
    ownWorker: (flags.worker ?? true) && !flags.detach,
  };
  logToFolder(settings);
  if (flags.detach) await startInBackground(settings, flags);
  const session = await openSession(options);
  try {
    if (interruption.requested()) return EXIT.interrupted;
    const begun = await oneAtATime(settings, () => startCampaign(session, start));
    if (flags.detach) return await detached(session, start, flags);
    sayBegun(name, begun);
    const to = await follow(session, { name, folder }, interruption);
    return await conclude(session, { name, folder }, to, {
      json: flags.json ?? false,
      idle: begun.items === begun.done,
      background: backgroundRuns(settings),
    });
  } finally {
    await session.close();
  }
}

/** An output folder that cannot be used is told before a server is started for it: nothing was submitted. */
async function checkOutput(folder: string): Promise<void> {
  try {
    await openFileStore(folder);
  } catch (cause) {
    if (!(cause instanceof HundredfoldError)) throw cause;
    const { code, message, remedy } = cause;
    throw new HundredfoldError({ code, message, remedy, exitCode: EXIT.refused, cause });
  }
}

/** Two commands for one campaign must not lay its items out side by side: one starts it, the other finds it running. */
async function oneAtATime<T>({ embeddedDir }: Settings, start: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(join(embeddedDir, 'starting'), () =>
    say('Another command is starting a campaign here; waiting for it.'),
  );
  try {
    return await start();
  } finally {
    lock.release();
  }
}

function sayBegun(name: string, { joined, items, done }: Started): void {
  if (joined) say(`${name} is running already: this command joins it.`);
  else if (done > 0 && done < items) say(`${name} goes on: ${done} of ${items} items have ended.`);
}

/** All problems at once; nothing is submitted while one of them is an error. */
function accepted(reading: ManifestReading, { json }: RunFlags): boolean {
  const errors = reading.problems.filter(({ severity }) => severity === 'error');
  if (json && errors.length > 0) {
    process.stdout.write(`${JSON.stringify({ rows: reading.rows, problems: reading.problems })}\n`);
  }
  explainProblems(reading.problems);
  if (errors.length > 0) {
    const count = errors.length === 1 ? 'one error' : `${errors.length} errors`;
    say(
      `hundredfold: ${count}; nothing was submitted. Mend the manifest and type the command again.`,
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
  const local = flags.services === 'local' ? localServices(settings) : [];
  const choose = (name: ServiceName) =>
    local.find(({ reference }) => reference.service === name) ?? settings.services[name];
  const chosen = [...needed].flatMap((name) => choose(name) ?? []);
  if (chosen.length < needed.size) throw noService([...needed].filter((name) => !choose(name)));
  return chosen;
}

function localServices(settings: Settings): ServiceSettings[] {
  if (!settings.temporal) return localSettings(process.env);
  throw new HundredfoldError({
    code: 'CONFIG_LOCAL_SERVICES',
    message: `--services local needs the embedded server, and temporal.address is ${settings.temporal.address}`,
    remedy:
      'Leave temporal.address out, or start `hundredfold services` and name its addresses under services:.',
    exitCode: EXIT.refused,
  });
}

const EXAMPLES: Readonly<Record<ServiceName, string>> = {
  molecules: 'molecules: { url: https://HOST/acpype, token: { env: HUNDREDFOLD_MOLECULE_TOKEN } }',
  predictions: 'predictions: { url: https://HOST, token: { env: HUNDREDFOLD_PREDICTION_TOKEN } }',
};

/** Shows both ways on. */
function noService(missing: readonly ServiceName[]): HundredfoldError {
  const names = missing.map((name) => `"${name}"`).join(' and ');
  const what = missing.length === 1 ? `the service ${names}` : `the services ${names}`;
  return new HundredfoldError({
    code: 'CONFIG_NO_SERVICE',
    message: `the manifest needs ${what}, and none is configured`,
    remedy: [
      'To try it out with the services of this project, on this machine: add --services local',
      '  To use the real ones, write a hundredfold.yaml (docs/configuration.md says more):',
      '    services:',
      ...missing.map((name) => `      ${EXAMPLES[name]}`),
    ].join('\n'),
    exitCode: EXIT.refused,
  });
}

async function detached(
  session: Session,
  { name, folder }: CampaignStart,
  { json }: RunFlags,
): Promise<number> {
  if (json) {
    const campaign = await findCampaign(session.client, name);
    print(await openDocument(session, campaign, await observe(session, name)));
  }
  if (session.role === 'remote') {
    say(`${name} is started, into ${folder}. It goes on as long as a worker runs for it:`);
    say(`  hundredfold worker    is one; hundredfold watch ${name}    shows it.`);
  } else {
    say(`${name} runs in the background, into ${folder}.`);
    say(`  hundredfold watch ${name}    shows it; hundredfold stop stops the server.`);
  }
  if (session.ui) say(`  Every item in the Temporal UI: ${uiLink(session.ui, name)}`);
  return EXIT.ok;
}
