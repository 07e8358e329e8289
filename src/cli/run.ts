/** `hundredfold run`: checks the manifests, starts or resumes the campaign, shows progress until it ends. */
import { join, resolve } from 'node:path';
import { loadSettings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { KINDS, SERVICE_OF_KIND } from '../domain/item.ts';
import { openSession } from '../host/session.ts';
import { campaignName } from '../manifest/name.ts';
import { readManifests, type ManifestReading } from '../manifest/read-all.ts';
import { openFileStore } from '../store/filesystem.ts';
import { backgroundRuns, startInBackground } from './background.ts';
import { startCampaign, type CampaignStart, type Started } from './campaign-start.ts';
import { chooseServices } from './choose-services.ts';
import { conclude, concludeEnded } from './conclusion.ts';
import { detached } from './detached.ts';
import { follow } from './follow.ts';
import { explainProblems, say } from './explain.ts';
import type { ServiceFlags } from './flags.ts';
import { Interruption } from './interruption.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { insist } from './temporal-away.ts';
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
  const needed = new Set(
    KINDS.filter((kind) => reading.kinds[kind] > 0).map((kind) => SERVICE_OF_KIND[kind]),
  );
  const local = flags.services === 'local';
  const feeds = chooseServices(settings, { local, needed, who: 'the manifest' });
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
    const begun = await oneAtATime(settings, () =>
      insist(session, interruption, () => startCampaign(session, start)),
    );
    if (begun.idle) return await concludeEnded(folder, { json: flags.json ?? false, idle: true });
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
