/**
 * `hundredfold report NAME`: (re)builds tables and report of a campaign from its output tree alone, at any time.
 * `hundredfold report A B`: compares two campaigns.
 */
import { Command } from 'commander';
import { checkName } from '../../domain/name.ts';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { isObjectAddress } from '../../domain/addresses.ts';
import type { Comparison } from '../../report/comparison.ts';
import { COMPARISON_PAGE, DIFFERENCES } from '../../report/page/comparison-page.ts';
import { buildAddress, REPORT } from '../../store/layout.ts';
import { findTree } from '../session.ts';
import { openLink, say, printDocument } from '../terminal.ts';
import { printDamaged } from '../conclusion.ts';
import { call, NEWEST, treesThere, type Flags } from '../options.ts';

export const commands = [
  new Command('report')
    .description(
      'rebuild the tables and report.html of a campaign from its output tree; of two: compare their results',
    )
    .argument('[name]', NEWEST, checkName)
    .argument('[other]', 'campaign that the first one is compared with', checkName)
    .addOption(treesThere())
    .option(
      '--by <column>',
      'of two campaigns: compare rows with the same value there (default: id)',
    )
    .option('--open', 'show the report in the browser')
    .action(call(report)),
];

async function report(
  name: string | undefined,
  other: string | undefined,
  flags: Flags,
): Promise<number> {
  if (name !== undefined && other !== undefined) return compare(name, other, flags);
  if (flags.by === undefined) return rebuildReport(name, flags);
  throw new HundredfoldError(
    'USAGE',
    '--by is given, and only one campaign',
    'Name the campaign that it is compared with: hundredfold report A B --by COLUMN.',
  );
}

async function compare(a: string, b: string, flags: Flags): Promise<number> {
  // Looking for a tree may change to the folder in which it was made.
  const out = resolve('comparison', `${a}-${b}`);
  const [first, second] = [await findTree(a, flags), await findTree(b, flags)];
  const comparison = await first.compare(second, out, flags.by);
  const path = join(out, COMPARISON_PAGE);
  if (flags.json) printDocument({ ...omitPoints(comparison), page: path });
  for (const { kind, pairs, measures } of comparison.kinds) {
    const differing = measures.filter(({ equal, pairs: all }) => equal < all);
    say(`${kind}: ${pairs} pairs, ${differing.length} of ${measures.length} measures differ.`);
  }
  say(`  page: ${path}`);
  say(`  all differences: ${join(out, DIFFERENCES)}`);
  if (flags.open) showPage(path);
  return EXIT.ok;
}

/** They are in the table. */
function omitPoints({ kinds, ...names }: Comparison) {
  const omit = (measures: Comparison['kinds'][number]['measures']) =>
    measures.map(({ points: _, ...others }) => others);
  return { ...names, kinds: kinds.map((one) => ({ ...one, measures: omit(one.measures) })) };
}

function showPage(path: string): void {
  if (!openLink(pathToFileURL(path).href)) say('No browser was found. Open the link above.');
}

async function rebuildReport(given: string | undefined, flags: Flags): Promise<number> {
  const tree = await findTree(given, flags);
  const { name, location: folder } = tree;
  const path = buildAddress(folder, REPORT);
  if (flags.open && isObjectAddress(path))
    throw new HundredfoldError(
      'USAGE',
      `the report of ${name} is at ${path}, where a browser cannot open it`,
      `Copy it to disk first: hundredfold pull ${name}; then open its report.html.`,
    );
  const { document, soFar, damaged } = await tree.report(say);
  if (flags.json) printDocument({ ...document, ...(soFar && { soFar }), report: path });
  const what = soFar ? `so far, ${soFar.ended} of ${soFar.items} items are done,` : 'and checksums';
  say(`${name}: tables, report ${what} were rebuilt from ${folder}.`);
  say(`  report: ${path}`);
  if (!isObjectAddress(path)) say(`  in a browser: ${pathToFileURL(path).href}`);
  printDamaged(damaged);
  if (flags.open) showPage(path);
  return damaged.length === 0 ? EXIT.ok : EXIT.incomplete;
}
