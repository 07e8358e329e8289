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
  if (error instanceof CommanderError) {
    // `--help` and `--version` end with this error, too.
    if (error.exitCode === 0) return EXIT.ok;
    printFailure(toUsageError(error));
    return EXIT.usage;
  }
  const shown = error instanceof HundredfoldError ? error : await explainError(error);
  printError(shown);
  if (!(shown instanceof HundredfoldError)) return EXIT.usage;
  printFailure(shown);
  return shown.exitCode;
}

function printFailure({ code, message, remedy }: HundredfoldError): void {
  if (process.argv.includes('--json') && !hasDocument())
    printDocument({ error: { code, message, remedy } });
}

/** Commander has already printed the message. */
function toUsageError({ message }: CommanderError): HundredfoldError {
  return new HundredfoldError(
    'USAGE',
    message.replace(/^error: /, ''),
    'hundredfold --help lists the commands, hundredfold COMMAND --help the options.',
  );
}

/** Temporal's client, which identifies its own errors, takes half a second to load: it is loaded only here. */
async function explainError(error: unknown): Promise<unknown> {
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
