/** `hundredfold retry`: runs items of a campaign that did not succeed again, in the same output tree. */
import { EXIT } from '../../domain/errors.ts';
import { oneAtATime } from '../../campaigns/one-at-a-time.ts';
import { retryOf, startRetry } from '../../campaigns/retry.ts';
import { standingOf, type StandingOptions } from '../../campaigns/standing.ts';
import { openSession } from '../../host/open-session.ts';
import type { RetrySurvey } from '../../store/retry-survey.ts';
import { startInBackground } from '../../host/background.ts';
import { commandSettings } from '../session/command-settings.ts';
import { concludeRun, concludeEnded } from '../session/conclusion.ts';
import { detach } from '../session/detached.ts';
import { say } from '../text/explain.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { follow } from '../live/follow.ts';
import { Interruption } from '../session/interruption.ts';
import { explainRetry } from '../text/retry-text.ts';
import { logToFolder } from '../session/worker-log.ts';

interface RetryFlags extends ServiceFlags, StandingOptions {
  readonly failed?: boolean;
  readonly item?: readonly string[];
  readonly out?: string;
  readonly detach?: boolean;
}

export async function retry(name: string, flags: RetryFlags): Promise<number> {
  const settings = commandSettings(flags);
  const retried = await retryOf(name, { ...flags, items: flags.item }, settings);
  const { local } = retried;
  const interruption = new Interruption();
  logToFolder(settings);
  const services = local ? { services: 'local' as const } : {};
  if (flags.detach) await startInBackground(settings, { ...flags, ...services });
  const session = await openSession({
    settings,
    environment: process.env,
    localServices: local,
    ownWorker: !flags.detach,
  });
  try {
    if (interruption.requested()) return EXIT.interrupted;
    const wanted = {
      ...retried,
      environment: process.env,
      standing: standingOf(flags),
      onNotice: say,
      onSurvey: (survey: RetrySurvey) => explainRetry(name, survey),
    };
    const { folder, idle } = await oneAtATime(settings, say, () => startRetry(session, wanted));
    const json = flags.json ?? false;
    if (idle) return await concludeEnded(folder, { json });
    const left = { settings, flags: { ...flags, ...services } };
    if (flags.detach) return await detach(session, { name, folder }, left);
    const to = await follow(session, { name, folder }, interruption);
    return await concludeRun(session, { name, folder }, to, left);
  } finally {
    await session.close();
  }
}
