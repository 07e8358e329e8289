/** Commands that look at campaigns, or steer them: they join what runs, or start the server for as long as they need it. */
import type { Settings } from '../config/settings.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { openSession, type Session } from '../host/session.ts';
import { reasonOf } from '../domain/plain-text.ts';
import { say } from './explain.ts';
import { Interruption } from './interruption.ts';
import { logToFolder } from './worker-log.ts';
import type { CommonFlags } from './flags.ts';
import { commandSettings } from './command-settings.ts';

export interface Around {
  readonly settings: Settings;
  readonly interruption: Interruption;
}

/**
 * `look`: where nothing runs, the server is started without letting the campaigns go on: `status` spends no budget.
 * `work`: they go on for as long as this command lives.
 * @param hurried somebody waits for the answer: a host that does not answer is told of within seconds
 */
export async function withSession(
  flags: CommonFlags,
  purpose: 'look' | 'work',
  use: (session: Session, around: Around) => Promise<number>,
  hurried = purpose === 'look',
): Promise<number> {
  const settings = commandSettings(flags, { tokens: 'optional' });
  logToFolder(settings);
  const interruption = new Interruption();
  const session = await openSession({
    settings,
    environment: process.env,
    localServices: false,
    anyHost: true,
    lookOnly: purpose === 'look',
    ...(hurried && { patienceMs: HOST_PATIENCE_MS }),
  });
  try {
    if (interruption.requested()) return EXIT.interrupted;
    if (purpose === 'work' && session.role !== 'joined') sayUnready(settings);
    const used = () => use(session, { settings, interruption });
    return await orElse(session, purpose, () => (purpose === 'look' ? answered(used()) : used()));
  } finally {
    await session.close();
  }
}

/** The open items of these services stay open: neither their jobs nor this command can go on with them. */
function sayUnready({ unready }: Settings): void {
  for (const { reference, reason } of unready) {
    say(`${reference.service}: this command submits and fetches nothing there: ${reason.message}.`);
    say(`  ${reason.remedy}`);
  }
}

/** Together less than 15 s: whoever looks is told by then how things stand, or that nobody answers. In ms. */
const HOST_PATIENCE_MS = 5_000;
const ANSWER_WITHIN_MS = 8_000;

/** @throws HundredfoldError `TEMPORAL_SILENT` when it takes longer than anybody waits who only looks */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  const heard = new AbortController();
  const late = delay(ANSWER_WITHIN_MS, undefined, { signal: heard.signal }).then(() => {
    throw new HundredfoldError({
      code: 'TEMPORAL_SILENT',
      message: `Temporal did not answer within ${ANSWER_WITHIN_MS / 1_000} s`,
      remedy:
        'It may be busy or stopped: try again, or ask `hundredfold doctor`. Campaigns lose nothing meanwhile.',
    });
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    heard.abort();
  }
}

/** gRPC status codes of a server that is going, coming or too busy: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const PASSING = [1, 4, 8, 14];

/**
 * The host that we joined may end at any moment, and its server with it. A look can be taken once more; where more
 * than a look was wanted, the user is told.
 */
async function orElse(
  session: Session,
  purpose: 'look' | 'work',
  use: () => Promise<number>,
): Promise<number> {
  try {
    return await use();
  } catch (error) {
    if (purpose !== 'look' || !passes(error)) throw told(error);
  }
  await session.recover();
  return use().catch((error: unknown) => {
    throw told(error);
  });
}

function passes(error: unknown): boolean {
  const status = error instanceof Error ? (error.cause ?? error) : error;
  return isGrpcServiceError(status) && PASSING.includes(status.code);
}

function told(error: unknown): unknown {
  if (!passes(error)) return error;
  return new HundredfoldError({
    code: 'TEMPORAL_LOST',
    message: `Temporal stopped answering (${reasonOf(error)})`,
    remedy: 'Type the command again: what runs goes on, and nothing is lost.',
    cause: error,
  });
}
