/** The options and flags that several commands share, and how a command is loaded and ends. */
import { type Argument, InvalidArgumentError, Option } from 'commander';
import { LOCAL_NAMES, type LocalName } from '../../temporal/host/local.ts';

export interface CommonFlags {
  readonly config?: string;
  readonly json?: boolean;
}

/** For commands that can start the services of this project. */
export interface ServiceFlags extends CommonFlags {
  readonly services?: LocalName;
}

/**
 * Loads a command when it is called, and ends the process with its exit code: open handles of libraries must not keep it
 * alive.
 */
export function loadLazily<A extends unknown[]>(
  load: () => Promise<(...args: A) => Promise<number>>,
) {
  return async (...args: A): Promise<void> => {
    const command = await load();
    await exitWith(await command(...args));
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

export const MANIFESTS =
  'tables (CSV, TSV, JSONL, JSON, YAML), input files (.smi, FASTA, SD files, …), folders or patterns';

/** For commands that only look. */
export const NEWEST = 'campaign (default: the newest)';

export const config = () =>
  new Option('--config <file>', 'configuration (default: hundredfold.yaml, or HUNDREDFOLD_CONFIG)');

export const json = () => new Option('--json', 'print one JSON document on stdout');

export const local = () =>
  new Option(
    '--services <which>',
    'services of this project: local has recorded results for its examples, synthetic makes up results for any input',
  ).choices(LOCAL_NAMES);

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
