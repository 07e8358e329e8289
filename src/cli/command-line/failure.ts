/** How a command that fails says so: in words on stderr, with `--json` as the one document of stdout as well. */
import { CommanderError } from 'commander';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { explain } from '../text/explain.ts';
import { hasDocument, printDocument } from '../text/output.ts';

/** @returns the exit code */
export async function explainFailure(error: unknown): Promise<number> {
  if (error instanceof CommanderError) {
    // `--help` and `--version` end in this way, too.
    if (error.exitCode === 0) return EXIT.ok;
    printFailure(usageError(error));
    return EXIT.usage;
  }
  const shown = error instanceof HundredfoldError ? error : await worded(error);
  explain(shown);
  if (!(shown instanceof HundredfoldError)) return EXIT.usage;
  printFailure(shown);
  return shown.exitCode;
}

function printFailure({ code, message, remedy }: HundredfoldError): void {
  if (process.argv.includes('--json') && !hasDocument())
    printDocument({ error: { code, message, remedy } });
}

/** Commander has told people already. */
function usageError({ message }: CommanderError): HundredfoldError {
  return new HundredfoldError({
    code: 'USAGE',
    message: message.replace(/^error: /, ''),
    remedy: 'hundredfold --help lists the commands, hundredfold COMMAND --help the options.',
  });
}

/** Temporal's client, which knows its own errors, takes half a second to load: only now. */
async function worded(error: unknown): Promise<unknown> {
  const { isTemporalAway, temporalAway } = await import('../../campaigns/temporal-away.ts');
  const { refusalOf } = await import('../../temporal/refusals.ts');
  return refusalOf(error) ?? (isTemporalAway(error) ? temporalAway(error) : error);
}
