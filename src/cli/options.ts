/** What the declarations of commands share: how a command is called and ends, and the options that several have. */
import { type Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { HundredfoldError } from '../domain/errors.ts';
import { parseDuration } from '../domain/units.ts';
import { LOCAL_NAMES, type LocalName } from '../temporal/host/local.ts';
import { hasDocument, printDocument } from './terminal.ts';

/** These mean the same for every command, and may stand anywhere on its line. */
export interface GlobalFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly services?: LocalName;
}

export function addGlobalOptions(program: Command): Command {
  const which = new Option(
    '--services <which>',
    'services of this project: local has recorded results for its examples, synthetic makes up results for any input',
  );
  return program
    .option('--config <file>', 'configuration (default: hundredfold.yaml, or HUNDREDFOLD_CONFIG)')
    .option('--json', 'print one JSON document on stdout')
    .addOption(which.choices(LOCAL_NAMES))
    .option('-q, --quiet', 'print only errors on stderr')
    .option('-v, --verbose', 'also print the worker log on stderr');
}

/**
 * Calls what a command does with its arguments and all flags, and ends the process with its exit code: open handles of
 * libraries must not keep it alive.
 */
export function call(act: (...args: never[]) => Promise<number>) {
  // Commander adds the flags of the command alone, and the command.
  return async (...given: unknown[]): Promise<void> => {
    const flags = (given.at(-1) as Command).optsWithGlobals<GlobalFlags>();
    const code = await act(...([...given.slice(0, -2), flags] as never[]));
    // With --json, stdout has one document, also of a command that only acts.
    if (flags.json && !hasDocument()) printDocument({ exitCode: code });
    await exitWith(code);
  };
}

export async function exitWith(code: number): Promise<never> {
  // stdout may be a pipe: flush it first.
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(code);
}

/** Choices that are shown and completed; plugins have others, so a command checks them (`checkChoice`). */
export function suggest<T extends Argument | Option>(one: T, names: readonly string[]): T {
  return Object.assign(one, { argChoices: [...names] });
}

/**
 * Names of kinds and services are known only after the plugins were loaded.
 * @throws HundredfoldError `USAGE`
 */
export function checkChoice(
  option: string,
  value: string | undefined,
  choices: readonly string[],
): void {
  if (value === undefined || choices.includes(value)) return;
  const remedy = `Choose one of ${choices.join(', ')}.`;
  throw new HundredfoldError('USAGE', `${option} is "${value}"`, remedy);
}

export const MANIFESTS =
  'tables (CSV, TSV, JSONL, JSON, YAML), input files (.smi, FASTA, SD files, …), folders or patterns';

/** For commands that only look. */
export const NEWEST = 'campaign (default: the newest)';

export const newTrees = () =>
  new Option('--out <dir>', 'output folder (default: store.url, or ./results)');

export const treesThere = () =>
  new Option('--out <dir>', 'output folder (default: where the campaign ran)');

export const detach = (words = 'return when the campaign has started') =>
  new Option('--detach', words);

export const noWorker = () =>
  new Option('--no-worker', 'with your own Temporal server: leave all work to its workers');

export const priority = () =>
  new Option(
    '--priority <n>',
    'among campaigns with the same token, from 1 (first) to 5 (last) (default: 3)',
  ).argParser((text) => {
    if (!/^[1-5]$/.test(text)) throw new InvalidArgumentError('It must be 1, 2, 3, 4 or 5.');
    return Number(text);
  });

export function parseCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, 0 or above.');
}

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

export function parseTime(text: string): number {
  const value = parseDuration(text);
  if (value !== null) return value;
  throw new InvalidArgumentError('It must be a length of time: 500ms, 10s, 60m or 1h.');
}
