/** The command line. */
import { exitWith } from './options.ts';
import { createProgram } from './program.ts';
import { CommanderError } from 'commander';
import { EXIT, HundredfoldError, toReason } from '../domain/errors.ts';
import { printError, hasDocument, printDocument } from './terminal.ts';

// A closed pipe (`| head`) or terminal must not interrupt a running campaign.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  const program = await createProgram(process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  await exitWith(await explainFailure(error));
}

/** @returns the exit code */
async function explainFailure(error: unknown): Promise<number> {
  const isUsage = error instanceof CommanderError;
  // `--help` and `--version` end with this error, too.
  if (isUsage && error.exitCode === 0) return EXIT.ok;
  const shown = error instanceof HundredfoldError ? error : await explainError(error);
  // Commander has already printed its message.
  if (!isUsage) printError(shown);
  if (!(shown instanceof HundredfoldError)) return EXIT.usage;
  const { code, message, remedy, exitCode } = shown;
  if (process.argv.includes('--json') && !hasDocument())
    printDocument({ error: { code, message, remedy } });
  return exitCode;
}

/** Temporal's client, which identifies its own errors, takes half a second to load: it is loaded only here. */
async function explainError(error: unknown): Promise<unknown> {
  if (error instanceof CommanderError)
    return new HundredfoldError(
      'USAGE',
      error.message.replace(/^error: /, ''),
      'hundredfold --help lists the commands, hundredfold COMMAND --help the options.',
    );
  const { isTemporalAway, toRefusal } = await import('../temporal/grpc-status.ts');
  return toRefusal(error) ?? (isTemporalAway(error) ? createAwayError(error) : error);
}

function createAwayError(cause: unknown): HundredfoldError {
  return new HundredfoldError(
    'TEMPORAL_UNREACHABLE',
    `The connection to Temporal was lost during the command (${toReason(cause)})`,
    'Run the same command again: it resumes, and nothing is submitted twice.',
    { cause },
  );
}
