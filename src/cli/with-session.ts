/** Commands that look at campaigns, or steer them: they join what runs, or start the server for as long as they need it. */
import { loadSettings, type Settings } from '../config/settings.ts';
import { isGrpcServiceError } from '@temporalio/client';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { openSession, type Session } from '../host/session.ts';
import { reasonOf } from './explain.ts';
import { Interruption } from './interruption.ts';
import { logToFolder } from './worker-log.ts';
import type { CommonFlags } from './flags.ts';

export interface Around {
  readonly settings: Settings;
  readonly interruption: Interruption;
}

/**
 * `look`: where nothing runs, the server is started without letting the campaigns go on: `status` spends no budget.
 * `work`: they go on for as long as this command lives.
 */
export async function withSession(
  flags: CommonFlags,
  purpose: 'look' | 'work',
  use: (session: Session, around: Around) => Promise<number>,
): Promise<number> {
  const settings = loadSettings(flags.config, process.env);
  logToFolder(settings);
  const interruption = new Interruption();
  const session = await openSession({
    settings,
    environment: process.env,
    localServices: false,
    anyHost: true,
    lookOnly: purpose === 'look',
  });
  try {
    if (interruption.requested()) return EXIT.interrupted;
    return await orElse(session, purpose, () => use(session, { settings, interruption }));
  } finally {
    await session.close();
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
