/** The program that is the embedded server. */
import { findTemporalCli } from '../../scripts/temporal-cli.js';
import { HundredfoldError } from '../domain/errors.ts';

/** Its path. Throws TEMPORAL_CLI_MISSING, TEMPORAL_CLI_UNUSABLE. */
export function temporalCli(): string {
  const cli = findCli();
  if (cli) return cli.path;
  throw new HundredfoldError({
    code: 'TEMPORAL_CLI_MISSING',
    message: 'the Temporal CLI, which carries the embedded server, is not installed',
    remedy: 'Run `npm run setup`, or point TEMPORAL_CLI at a copy of it.',
  });
}

function findCli(): { path: string } | null {
  try {
    return findTemporalCli();
  } catch (cause) {
    // What the set-up says on any Node is an error of its own there: plain JavaScript, without our registry.
    const { code, message, remedy } = cause as { code?: string; message: string; remedy?: string };
    if (code === undefined || remedy === undefined) throw cause;
    throw new HundredfoldError({ code, message, remedy, cause });
  }
}
