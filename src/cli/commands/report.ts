/** `hundredfold report NAME`: (re)builds tables and report of a campaign from its output tree alone, at any time. */
import { Command } from 'commander';
import { checkName } from '../../domain/name.ts';
import { pathToFileURL } from 'node:url';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { isObjectAddress } from '../../domain/addresses.ts';
import { buildAddress, REPORT } from '../../store/layout.ts';
import { findTree } from '../session.ts';
import { openLink, say, printDocument } from '../terminal.ts';
import { printDamaged } from '../conclusion.ts';
import { call, NEWEST, treesThere, type GlobalFlags } from '../options.ts';

export const commands = [
  new Command('report')
    .description('rebuild the tables and report.html of a campaign from its output tree')
    .argument('[name]', NEWEST, checkName)
    .addOption(treesThere())
    .option('--open', 'show the report in the browser')
    .action(call(rebuildReport)),
];

interface ReportFlags extends GlobalFlags {
  readonly out?: string;
  readonly open?: boolean;
}

async function rebuildReport(given: string | undefined, flags: ReportFlags): Promise<number> {
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
  if (flags.open && !openLink(pathToFileURL(path).href))
    say('No browser was found. Open the link above.');
  return damaged.length === 0 ? EXIT.ok : EXIT.incomplete;
}
