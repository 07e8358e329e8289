/** The program of the embedded server. */
import type { ErrorCode } from '../domain/error-codes/registry.ts';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { fetchTemporalCli } from '../program/fetch-temporal.ts';
import { SetupProblem } from '../program/problem.ts';
import {
  findTemporalCli,
  TEMPORAL_CLI_VERSION,
  TemporalCliError,
  type TemporalCli,
} from '../program/temporal-cli.ts';

/** Its path. Throws TEMPORAL_CLI_MISSING, TEMPORAL_CLI_UNUSABLE. */
export function temporalCli(): string {
  const cli = findCli();
  if (cli) return cli.path;
  throw codedError('TEMPORAL_CLI_MISSING', {});
}

/**
 * Its path, fetched into the user's cache if there is none; `say` is called before a fetch, which takes seconds. Throws
 * TEMPORAL_CLI_UNUSABLE and the codes of a failed fetch (SETUP_NO_NETWORK, SETUP_HASH_MISMATCH, …).
 */
export async function ensureTemporalCli(say: (line: string) => void): Promise<TemporalCli> {
  const cli = findCli();
  if (cli) return cli;
  say(`Downloading the Temporal CLI ${TEMPORAL_CLI_VERSION} (44 MB), once for this user …`);
  try {
    return { path: await fetchTemporalCli(), source: 'cache' };
  } catch (error) {
    throw coded(error);
  }
}

function findCli(): TemporalCli | null {
  try {
    return findTemporalCli();
  } catch (error) {
    throw coded(error);
  }
}

/** Errors of the set-up have their own class: `program` is below our registry. */
function coded(cause: unknown): unknown {
  if (!(cause instanceof SetupProblem || cause instanceof TemporalCliError)) return cause;
  // test/project/generated.test.ts compares its codes with the registry.
  const code = cause.code as ErrorCode;
  const { message, remedy } = cause;
  const detail = cause instanceof SetupProblem ? cause.detail : '';
  const words =
    detail === ''
      ? message
      : `${message}
${detail}`;
  return new HundredfoldError({ code, message: words, remedy, cause });
}
