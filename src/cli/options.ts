/** What commands share: how one is called and ends, the options that several have, and which rows these choose. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { HundredfoldError } from '../domain/errors.ts';
import { FINAL_STATES, OPEN_STATES, type Kind, type ServiceName } from '../domain/campaign.ts';
import { checkName } from '../domain/name.ts';
import { parseDuration } from '../domain/units.ts';
import { listKindNames } from '../kinds/registry.ts';
import type { OutputTree, TreeItem } from '../runner/command-line.ts';
import { LOCAL_NAMES, type LocalName } from '../temporal/host/local.ts';
import { hasDocument, printDocument } from './terminal.ts';

/** All that can be typed after a command, except the settings of `worker` and `services`; a command has what it declares. */
export interface Flags {
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly services?: LocalName;
  readonly out?: string;
  /* Which rows. */
  readonly state?: string;
  readonly kind?: Kind;
  readonly code?: string;
  readonly item?: readonly string[];
  readonly where?: readonly string[];
  readonly failed?: boolean;
  /* A campaign that begins. */
  readonly name?: string;
  readonly allowOutside?: boolean;
  readonly skipInvalid?: boolean;
  readonly cache?: boolean;
  readonly priority?: number;
  readonly detach?: boolean;
  readonly worker?: boolean;
  /** ms since the epoch. */
  readonly at?: number;
  readonly also?: 'engines';
  readonly probe?: boolean;
  readonly compareLanes?: number;
  readonly yes?: boolean;
  /** Not typed: the command that goes on with it, if it is not its `run`. */
  readonly command?: string;
  /** A new table with likely corrections. */
  readonly fixes?: string;
  /* One that runs. */
  readonly service?: ServiceName;
  readonly abandon?: boolean;
  /* Its results. */
  readonly open?: boolean;
  readonly by?: string;
  readonly to?: string;
  readonly list?: boolean;
  readonly predictor?: string;
  readonly replace?: boolean;
}

/** These mean the same for every command, and may stand anywhere on its line. */
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
    const flags = (given.at(-1) as Command).optsWithGlobals<Flags>();
    const code = await act(...([...given.slice(0, -2), flags] as never[])).catch(toExitCode);
    // With --json, stdout has one document, also of a command that only acts.
    if (flags.json && !hasDocument()) printDocument({ exitCode: code });
    await exitWith(code);
  };
}

/** Ctrl-C has said its words, and needs no error. */
function toExitCode(error: unknown): number {
  if (error instanceof HundredfoldError && error.code === 'INTERRUPTED') return error.exitCode;
  throw error;
}

export async function exitWith(code: number): Promise<never> {
  // stdout may be a pipe: flush it first.
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(code);
}

/** Choices that are shown and completed; plugins have others, so a command checks them (`checkKnown`). */
export function suggest<T extends Argument | Option>(one: T, names: readonly string[]): T {
  return Object.assign(one, { argChoices: [...names] });
}

/**
 * Names of kinds and services are known only after the plugins were loaded.
 * @throws HundredfoldError `USAGE`
 */
export function checkKnown(what: string, values: readonly string[], known: readonly string[]) {
  const strange = values.find((value) => !known.includes(value));
  if (strange === undefined) return;
  const remedy = `Choose one of ${known.join(', ')}.`;
  throw new HundredfoldError('USAGE', `there is no ${what} ${strange}`, remedy);
}

/** For commands that only look. */
export const NEWEST = 'campaign (default: the newest)';

/** The name of a campaign: `<name>`, or `[name]` if it may be left out. */
export const createNameArgument = (usage: string, description = '') =>
  new Argument(usage, description).argParser(checkName);

export const createNameOption = (description: string) =>
  new Option('--name <name>', description).argParser(checkName);

export const newTrees = () =>
  new Option('--out <dir>', 'output folder (default: store.url, or ./results)');

export const treesThere = () =>
  new Option('--out <dir>', 'output folder (default: where the campaign ran)');

export const detach = (words = 'return when the campaign has started') =>
  new Option('--detach', words);

/** Which rows are run, and where: the same for `plan` and `run`. */
export function addManifestOptions(command: Command): Command {
  const lane = 'the installed engines of this machine compute rows as well';
  return command
    .argument(
      '<manifest...>',
      'tables (CSV, TSV, JSONL, JSON, YAML), input files (.smi, FASTA, SD files, …), folders or patterns',
    )
    .addOption(newTrees())
    .addOption(createNameOption('name of the campaign (default: from the manifest)'))
    .option('--allow-outside', 'allow the manifest to name files outside its folder')
    .option('--skip-invalid', 'leave out invalid rows; failed.csv lists them')
    .option('--no-cache', 'neither use results of earlier campaigns, nor keep those of this one')
    .addOption(new Option('--also <lane>', lane).choices(['engines']));
}

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

/** A time of the clock is the next one; ms since the epoch. */
export function parseClock(text: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? [];
  const time = new Date(hours === undefined ? text : Date.now());
  if (hours !== undefined) {
    time.setHours(Number(hours), Number(minutes), 0, 0);
    if (time.getTime() <= Date.now()) time.setDate(time.getDate() + 1);
  }
  const isClock = hours === undefined || (Number(hours) < 24 && Number(minutes) < 60);
  if (isClock && time.getTime() > Date.now()) return time.getTime();
  throw new InvalidArgumentError('It must be a time to come, such as 22:00 or 2026-12-24T22:00.');
}

export function parseTime(text: string): number {
  const value = parseDuration(text);
  if (value !== null) return value;
  throw new InvalidArgumentError('It must be a length of time: 500ms, 10s, 60m or 1h.');
}

/* ---- which rows: the same for all commands ---- */

type Row = Pick<TreeItem, 'id' | 'kind' | 'state' | 'code' | 'user'>;

type IsMeant = (row: Row) => boolean;

const STATES = [...OPEN_STATES, ...FINAL_STATES];

export function addRowOptions(command: Command): Command {
  return command
    .addOption(new Option('--state <state>', 'only items in this state').choices(STATES))
    .addOption(suggest(new Option('--kind <kind>', 'only items of this kind'), listKindNames()))
    .option('--code <code>', 'only items with this error code')
    .option('--item <id...>', 'only these items')
    .option(
      '--where <condition...>',
      'only items whose column matches: COLUMN=VALUE[,VALUE], COLUMN=1..5, "COLUMN>5", "COLUMN<5"',
    );
}

/** The columns of every row. */
const OWN = ['id', 'kind', 'state', 'code'] as const;

/**
 * All options must match; of each, any of its values. Undefined if none is given.
 * Call it when the configuration was read: kinds of plugins are known from then on.
 *
 * @param tree with the columns that conditions may name
 * @throws HundredfoldError `USAGE`
 */
export function selectRows(
  { state, kind, code, item, where }: Flags,
  tree: OutputTree | undefined,
): IsMeant | undefined {
  const columns = [...new Set([...OWN, ...Object.values(tree?.campaign.columns ?? {}).flat()])];
  const conditions = (where ?? []).map((text) => parseCondition(text, columns));
  for (const [column, value] of Object.entries({ state, kind, code, id: item }))
    if (value !== undefined) conditions.push(createCondition(column, '=', [value].flat()));
  return conditions.length === 0 ? undefined : (row) => conditions.every((isMet) => isMet(row));
}

function parseCondition(text: string, columns: readonly string[]): IsMeant {
  const [, column, operator = '', list = ''] = /^\s*([^=<>]+?)\s*([=<>])(.*)$/s.exec(text) ?? [];
  const values = list
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (column === undefined || values.length === 0)
    throw new HundredfoldError(
      'USAGE',
      `--where ${text} is not a condition`,
      'Write state=failed,held or kind=molecule, or a column of the manifest: mass=100..200, "mass>100".',
    );
  checkKnown('column', [column], columns);
  return createCondition(column, operator, values);
}

function createCondition(column: string, operator: string, values: readonly string[]): IsMeant {
  if (column === 'state') checkKnown(column, values, STATES);
  if (column === 'kind') checkKnown(column, values, listKindNames());
  return (row) => values.some((value) => isMatch(readCell(row, column), operator, value));
}

function readCell(row: Row, column: string): string {
  const own = OWN.find((name) => name === column);
  return (own === undefined ? row.user[column] : row[own]) ?? '';
}

const RANGE = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/;

function isMatch(cell: string, operator: string, value: string): boolean {
  const number = cell === '' ? Number.NaN : Number(cell);
  if (operator === '<') return number < Number(value);
  if (operator === '>') return number > Number(value);
  const [, from, to] = RANGE.exec(value) ?? [];
  return cell === value || (number >= Number(from) && number <= Number(to));
}
