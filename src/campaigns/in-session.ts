/** A session that is open while campaigns are read or changed in it. */
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../domain/environment.ts';
import { codedError } from '../domain/errors.ts';
import { reasonOf } from '../domain/plain-text.ts';
import { openSession } from '../host/open-session.ts';
import type { Session } from '../host/session.ts';
import { inTime } from '../temporal/connection.ts';
import { isTemporalAway } from '../temporal/grpc-status.ts';

/**
 * `look`: if nothing runs, the server is started without continuing the campaigns: no budget is used. `work`: they
 * continue as long as the session is open.
 */
export type Purpose = 'look' | 'work';

interface InSession {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly purpose: Purpose;
  /** A user waits for the answer: a host that does not answer is reported within seconds. */
  readonly hurried?: boolean;
}

/** @throws HundredfoldError `TEMPORAL_SILENT`, `TEMPORAL_LOST`, `HOST_NOT_READY` */
export async function inSession<T>(
  { settings, environment, purpose, hurried = purpose === 'look' }: InSession,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await openSession({
    settings,
    environment,
    localServices: null,
    anyHost: true,
    lookOnly: purpose === 'look',
    ...(hurried && { patienceMs: HOST_PATIENCE_MS }),
  }).catch((error: unknown) => {
    throw inWords(error);
  });
  try {
    const used = () => use(session);
    return await orElse(session, purpose, () => (purpose === 'look' ? answered(used()) : used()));
  } finally {
    await session.close();
  }
}

/**
 * With the end of a server that does not answer, together less than 15 s: by then the user sees the state, or that
 * nothing answers. In ms.
 */
const HOST_PATIENCE_MS = 5_000;
const ANSWER_WITHIN_MS = 7_000;

/** @throws HundredfoldError `TEMPORAL_SILENT` when the answer takes too long for a command that only reads */
export function answered<T>(answer: Promise<T>): Promise<T> {
  return inTime(answer, ANSWER_WITHIN_MS);
}

/**
 * The host that we joined may end at any moment, and its server with it. Reading can be repeated; for anything else,
 * the error is reported to the user.
 */
async function orElse<T>(session: Session, purpose: Purpose, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (purpose !== 'look' || !isTemporalAway(error)) throw inWords(error);
  }
  await session.recover();
  return use().catch((error: unknown) => {
    throw inWords(error);
  });
}

function inWords(error: unknown): unknown {
  if (!isTemporalAway(error)) return error;
  return codedError('TEMPORAL_LOST', { reason: reasonOf(error) }, error);
}
