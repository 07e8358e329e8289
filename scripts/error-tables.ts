/**
 * Writes the table of item codes in docs/operations.md from src/domain/item-end-codes.ts. A test compares both.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { ITEM_END_FAMILIES, ITEM_ENDS } from '../src/domain/item-end-codes.ts';

export const PAGE = join(import.meta.dirname, '..', 'docs', 'operations.md');
const BEGIN = '<!-- made by scripts/error-tables.ts -->';
const END = '<!-- end -->';

/** The page with the table as the registry has it. */
export async function withItemCodes(page: string): Promise<string> {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`${PAGE} has no place for the table: ${BEGIN} … ${END}`);
  const rows = [
    ...ITEM_ENDS.map(({ codes, ...words }) => ({ names: codes, ...words })),
    ...ITEM_END_FAMILIES.map(({ prefixes, ...words }) => ({
      names: prefixes.map((prefix) => `${prefix}…`),
      ...words,
    })),
  ];
  const lines = rows.map(
    ({ names, meaning, remedy }) =>
      `| ${names.map((name) => `\`${name}\``).join(', ')} | ${meaning} | ${remedy} |`,
  );
  const table = ['| code | what happened | what to do |', '| --- | --- | --- |', ...lines];
  const text = [page.slice(0, from) + BEGIN, '', ...table, '', page.slice(to)].join('\n');
  return format(text, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(PAGE, await withItemCodes(readFileSync(PAGE, 'utf8')));
