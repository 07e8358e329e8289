/** `hundredfold export NAME --to FORMAT`: files for other programs. `export --list`: the formats. */
import { Command } from 'commander';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import {
  EXPORT_RECORD,
  type Exported,
  findExportFormat,
  FORMATS,
  type Remark,
} from '../../export/export.ts';
import { resolveAddress, buildAddress } from '../../store/layout.ts';
import {
  formatCount,
  listFirst,
  say,
  throttleProgress,
  printDocument,
  printLine,
  printTable,
} from '../terminal.ts';
import { findTreeOrFolder } from '../session.ts';
import { addRowOptions, selectRows, type Flags, call, NEWEST } from '../options.ts';

const HELP = `
NAME is a campaign, or the folder or s3:// address of an output tree. Notes, and items that were left out, are printed on
stderr and written to export.json in the same folder. Docs: docs/export.md.`;

export const commands = [
  addRowOptions(
    new Command('export')
      .description('write results as files for other programs: GROMACS, OpenMM, RDKit, Jalview, …')
      .argument('[name]', `${NEWEST}, or the folder of its output tree`)
      .option('--to <format>', 'format to write; --list shows them')
      .option('--list', 'list the formats and their content')
      .option('--out <dir>', 'folder for the files (default: ./export/NAME-FORMAT)'),
  )
    .option('--predictor <key>', 'the track for pdb and jalview (default: backbone)')
    .option('--replace', 'overwrite files of an earlier export that differ')
    .addHelpText('after', HELP)
    .action(call(exportCampaign)),
];

async function exportCampaign(name: string | undefined, flags: Flags): Promise<number> {
  if (flags.list === true) return listFormats(flags);
  if (flags.to === undefined) throw createUsageError();
  const format = findExportFormat(flags.to);
  const tree = await findTreeOrFolder(name, flags);
  const out = resolveAddress(flags.out ?? `export/${tree.name}-${format.name}`);
  const exported = await tree.export(format.name, out, {
    ...flags,
    selection: selectRows(flags, tree),
    onItem: createProgress(tree.name, tree.campaign.items),
  });
  printResult(exported, out, flags);
  return exported.leftOut.some(({ code }) => code !== 'NOT_SUCCEEDED') ? EXIT.incomplete : EXIT.ok;
}

function listFormats(flags: Flags): number {
  const formats = FORMATS.map(({ name: format, kinds, content, loadedBy }) => {
    return { format, kinds, content, loadedBy };
  });
  const rows = formats.map((one) => [one.format, one.kinds.join(), one.content, one.loadedBy]);
  if (flags.json === true) printDocument({ formats });
  else printTable(['FORMAT', 'KINDS', 'CONTENT', 'LOADED BY'], rows);
  return EXIT.ok;
}

function createUsageError(): HundredfoldError {
  return new HundredfoldError(
    'USAGE',
    'export needs the name of a campaign and --to FORMAT',
    'hundredfold export --list shows the formats, hundredfold status the campaigns.',
  );
}

function createProgress(name: string, items: number): () => void {
  let done = 0;
  const show = throttleProgress(() => `${name}: ${done} of ${items} items read`);
  return () => {
    done += 1;
    show();
  };
}

function printResult(exported: Exported, out: string, { json }: Flags): void {
  const { campaign, format, leftOut, notes, otherKinds, files } = exported;
  const count = exported.exported;
  const document = { campaign, format, out, exported: count, leftOut, notes, otherKinds };
  if (json) printDocument({ ...document, files: files.size });
  else printLine(out);
  const written = `${formatCount(count, 'item')} in ${formatCount(files.size, 'file')}`;
  say(`${campaign}: as ${format}, ${written} in ${out}`);
  const others = formatCount(otherKinds, 'item is of a kind', 'items are of kinds');
  if (otherKinds > 0) say(`  ${others} that ${format} does not support`);
  const reasons = leftOut.map(({ id, code, message }) => ({ id, message: `${message} (${code})` }));
  printRemarks('left out', reasons, out);
  printRemarks('note', notes, out);
}

/** Of each; all are in export.json. */
const MAX_SHOWN = 20;

function printRemarks(what: string, remarks: readonly Remark[], out: string): void {
  const lines = remarks.map(({ id, message }) => `${id}: ${message}`);
  const countRest = (n: number) => `${n} more, all in ${buildAddress(out, EXPORT_RECORD)}`;
  for (const line of listFirst(lines, MAX_SHOWN, countRest)) say(`  ${what}: ${line}`);
}
