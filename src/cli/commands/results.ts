/** `hundredfold report`, `verify` and `pull`: rebuilds, compares, checks and copies the output trees of campaigns. */
import { Command } from 'commander';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { checkName } from '../../domain/name.ts';
import { isObjectAddress, buildAddress, REPORT } from '../../store/layout.ts';
import type { Comparison } from '../../report/comparison.ts';
import { COMPARISON_PAGE, DIFFERENCES } from '../../report/page/comparison-page.ts';
import { findTree, findTreeOrFolder } from '../session.ts';
import {
  openLink,
  say,
  printDocument,
  formatCount,
  printTable,
  throttleProgress,
} from '../terminal.ts';
import { printDamaged } from '../conclusion.ts';
import {
  call,
  NEWEST,
  treesThere,
  type Flags,
  addRowOptions,
  selectRows,
  createNameArgument,
} from '../options.ts';
import { formatSize } from '../../domain/units.ts';
import { CHECKS } from '../../report/verify.ts';
import { pull as pullTree, openSource } from '../../runner/command-line.ts';

export const commands = [
  new Command('report')
    .description(
      'rebuild the tables and report.html of a campaign from its output tree; of two: compare their results',
    )
    .addArgument(createNameArgument('[name]', NEWEST))
    .addArgument(createNameArgument('[other]', 'campaign that the first one is compared with'))
    .addOption(treesThere())
    .option(
      '--by <column>',
      'of two campaigns: compare rows with the same value there (default: id)',
    )
    .option('--open', 'show the report in the browser')
    .action(call(report)),
  new Command('verify')
    .description('check digests, tables, summary and crate of a campaign against its items')
    .argument('[name]', `${NEWEST}, or the folder or s3:// address of its tree`)
    .action(call(verify)),
  addRowOptions(
    new Command('pull')
      .description('copy the output tree of a campaign, or a part of it, from its store to disk')
      .addArgument(
        createNameArgument('<name>', 'campaign, or the s3:// address of its tree').argParser(
          checkNameOrAddress,
        ),
      )
      .option('--out <dir>', 'folder on this machine (default: ./results)'),
  ).action(call(pull)),
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

async function verify(nameOrFolder: string | undefined, flags: Flags): Promise<number> {
  const tree = await findTreeOrFolder(nameOrFolder, flags);
  const { name, location: folder } = tree;
  const { items } = tree.campaign;
  const { faults, files } = await tree.verify(
    throttleProgress((done) => `${name}: ${done} of ${items} items read`),
  );
  const ok = faults.length === 0;
  // A row for each fault, and one for a check without faults.
  const rows = CHECKS.flatMap((check) => {
    const found = faults.filter((fault) => fault.check === check);
    if (found.length === 0) return [[check, null, 'ok', null]];
    return found.map(({ path, message, remedy }) => [check, path, message, remedy]);
  });
  if (flags.json) printDocument({ campaign: name, location: folder, ok, items, files, faults });
  else printTable(['CHECK', 'PATH', 'FOUND', 'WHAT TO DO'], rows);
  say(
    ok
      ? `${name}: no problems found: ${items} items with ${files} files, tables, summary, crate and checksums of ${folder}.`
      : `${name}: ${formatCount(faults.length, 'fault')} in ${folder}.`,
  );
  return ok ? EXIT.ok : EXIT.incomplete;
}

function checkNameOrAddress(text: string): string {
  return isObjectAddress(text) ? text : checkName(text);
}

async function pull(nameOrAddress: string, flags: Flags): Promise<number> {
  // The kinds and columns that conditions may name.
  const tree = await openSource(nameOrAddress, flags);
  const { name, from, to, ...done } = await pullTree(nameOrAddress, {
    ...flags,
    selection: selectRows(flags, tree),
    onNotice: say,
    onFile: throttleProgress(
      ({ files, bytes }) => `${nameOrAddress}: ${files} files, ${formatSize(bytes)} copied`,
    ),
  });
  const { files, copied, kept, bytes, faults } = done;
  if (flags.json) printDocument({ campaign: name, from, to, ...done });
  say(`${name}: ${files} files of ${from} in ${to}.`);
  say(`  copied: ${copied} (${formatSize(bytes)}); already there and correct: ${kept}`);
  for (const fault of faults) say(`  damaged: ${fault}`);
  return faults.length === 0 ? EXIT.ok : EXIT.incomplete;
}
