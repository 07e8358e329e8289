/** Which rows a command is about, the same for all commands: `--state`, `--kind`, `--code`, `--item` and `--where`. */
import { type Command, Option } from 'commander';
import { HundredfoldError } from '../domain/errors.ts';
import { FINAL_STATES, OPEN_STATES } from '../domain/item.ts';
import { listKindNames } from '../kinds/registry.ts';
import type { OutputTree, TreeItem } from '../runner/index.ts';
import { suggest } from './options.ts';

export interface RowFlags {
  readonly state?: string;
  readonly kind?: string;
  readonly code?: string;
  readonly item?: readonly string[];
  readonly where?: readonly string[];
}

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
  { state, kind, code, item, where }: RowFlags,
  tree: OutputTree | undefined,
): IsMeant | undefined {
  const columns = [...new Set([...OWN, ...Object.values(tree?.campaign.columns ?? {}).flat()])];
  const conditions = (where ?? []).map((text) => parseCondition(text, columns));
  const named = { state: state && [state], kind: kind && [kind], code: code && [code], id: item };
  for (const [column, values] of Object.entries(named))
    if (values) conditions.push(createCondition(column, '=', values));
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

function checkKnown(what: string, values: readonly string[], known: readonly string[]): void {
  const strange = values.find((value) => !known.includes(value));
  if (strange === undefined) return;
  const remedy = `Choose one of ${known.join(', ')}.`;
  throw new HundredfoldError('USAGE', `there is no ${what} ${strange}`, remedy);
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
