/**
 * Tells of the end of a campaign, as the configuration of this worker says: the summary goes to a command or to a
 * webhook. At least once: whoever is told twice knows it by the campaign and its `endedAt`. Neither the address nor the
 * words of the other side go into an error: both may hold a secret, and errors stand in histories.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { notifyWays } from '../config/notify.ts';
import { withoutSecrets } from '../config/secret-variables.ts';
import type { NotifyWay } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { endedCampaign } from '../report/campaign-document.ts';
import { failureCode } from '../services/http-failure.ts';
import type { RefusalNotice } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { storeFailure } from './retry.ts';
import { tellWebhook } from './webhook.ts';

/** Below the time that the workflow gives a try, so that the reason is told. */
const DEADLINE_MS = 20_000;

export async function notify(deps: Dependencies, store: string, way: NotifyWay): Promise<void> {
  if (deps.notify[way] === null) {
    throw ApplicationFailure.nonRetryable(
      `the worker that published the campaign has no ${way} under notify in its configuration`,
      'NOTIFY_NOT_CONFIGURED',
    );
  }
  await tell(deps, way, await summaryOf(deps, store));
}

/** Tells everybody who is told of ends that a service refuses us: somebody has to mend that. */
export async function notifyRefusal(deps: Dependencies, refusal: RefusalNotice): Promise<void> {
  const event = refusal.campaign === undefined ? 'service-blocked' : 'service-paused';
  const text = `${JSON.stringify({ event, ...refusal })}\n`;
  await Promise.all(notifyWays(deps.notify).map((way) => tell(deps, way, text)));
}

async function tell(deps: Dependencies, way: NotifyWay, text: string): Promise<void> {
  const told = deps.notify[way];
  if (told === null) return;
  const signal = AbortSignal.any([
    Context.current().cancellationSignal,
    AbortSignal.timeout(DEADLINE_MS),
  ]);
  const fault =
    'url' in told
      ? await tellWebhook(told, text, { signal, deadlineMs: DEADLINE_MS })
      : await tellCommand(told, text, environmentOf(deps), signal);
  if (fault === null) return;
  // Whoever took so long may have been told: he is not told again.
  if (signal.aborted) throw ApplicationFailure.nonRetryable(fault, 'NOTIFY_OVERDUE');
  throw ApplicationFailure.retryable(fault, 'NOTIFY_FAILED');
}

async function summaryOf(deps: Dependencies, address: string): Promise<string> {
  try {
    const { document } = await endedCampaign(await deps.openStore(address), address);
    return `${JSON.stringify(document)}\n`;
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw storeFailure(error);
    throw ApplicationFailure.nonRetryable(error.message, error.code);
  }
}

/** The command gets the summary, and none of our tokens. */
function environmentOf({ notify: { secretVariables = [] } }: Dependencies): NodeJS.ProcessEnv {
  return withoutSecrets(process.env, secretVariables);
}

/** Returns why it failed; null when it did not. */
async function tellCommand(
  [program = '', ...args]: readonly string[],
  text: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | null> {
  const child = spawn(program, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
    signal,
    killSignal: 'SIGKILL',
  });
  // One that does not read its input has closed it: its exit code tells how it went.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null];
    return code === 0 ? null : `the command ended with ${code ?? killedBy ?? 'an error'}`;
  } catch (error) {
    if (signal.aborted) return `the command did not end within ${DEADLINE_MS / 1_000} s`;
    return `the command could not be started (${failureCode(error)})`;
  }
}
