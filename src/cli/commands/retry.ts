/** `hundredfold retry`: runs items of a campaign that did not succeed again, in the same output tree. */
import { USUAL_PRIORITY } from '../../domain/campaign.ts';
import { EXIT } from '../../domain/errors.ts';
import { oneAtATime } from '../../runner/session.ts';
import { retryOf, startRetry } from '../../runner/retry.ts';
import { openSession } from '../../host/open-session.ts';
import type { RetrySurvey } from '../../store/retry.ts';
import { startInBackground } from '../../host/background.ts';
import { commandSettings } from '../session/command-settings.ts';
import { concludeRun, concludeEnded } from '../session/conclusion.ts';
import { detach } from '../session/detached.ts';
import { say } from '../text/explain.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { follow } from '../live/follow.ts';
import { Interruption } from '../session/interruption.ts';
import { logToFolder } from '../session/worker-log.ts';

/** A longer list is not useful on a screen. */
const SHOWN = 20;

function explainRetry(name: string, survey: RetrySurvey): void {
  for (const line of retryText(name, survey)) say(line);
}

function retryText(name: string, survey: RetrySurvey): string[] {
  const { chosen, states, ways, following, mayBeThere, open, unusable } = survey;
  const kinds = Object.entries(states).filter(([, n]) => n > 0);
  const which = kinds.map(([state, n]) => `${n} ${state}`).join(', ');
  const lines =
    chosen.size === 0
      ? [`${name}: nothing to retry: none of these items failed, is held or was cancelled.`]
      : [`${name}: ${items(chosen.size)} run again (${which}).`];
  if (ways.ask > 0) {
    lines.push(
      `  ${jobs(ways.ask)} polled first, which uses no slot. A new job is submitted only if the service does not know`,
      '  the job, the job failed, or its result is wrong again (never for an adopted job).',
    );
  }
  if (following > 0)
    lines.push(`  ${items(following)} get the result of another item: no slot is used.`);
  if (mayBeThere > 0) {
    lines.push(
      `  ${items(mayBeThere)} may already have a job at the service that cannot be found. They are submitted again,`,
      '  as you asked, and each may become a duplicate job.',
    );
  }
  if (open > 0) lines.push(`  ${items(open)} had not ended and continue.`);
  if (unusable.length > 0) {
    lines.push(
      `  ${items(unusable.length)} cannot be run again from this tree and are left unchanged:`,
    );
    lines.push(...unusable.slice(0, SHOWN).map((why) => `    ${why}`));
    if (unusable.length > SHOWN) lines.push(`    And ${unusable.length - SHOWN} more.`);
    lines.push('  The "hundredfold run" command of this campaign restores what is missing.');
  }
  return lines;
}

function jobs(n: number): string {
  return n === 1 ? '1 former job is' : `${n} former jobs are`;
}

function items(n: number): string {
  return n === 1 ? '1 item' : `${n} items`;
}

interface RetryFlags extends ServiceFlags {
  readonly priority?: number;
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
  const services = local ? { services: local } : {};
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
      priority: flags.priority ?? USUAL_PRIORITY,
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
