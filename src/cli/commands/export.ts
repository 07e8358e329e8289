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
import { say, throttleProgress, printDocument, printLine, printTable } from '../terminal.ts';
import { findTreeOrFolder } from '../session.ts';
import { addRowOptions, selectRows, type RowFlags } from '../rows.ts';
import { call, NEWEST, type GlobalFlags } from '../options.ts';

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

interface ExportFlags extends GlobalFlags, RowFlags {
  readonly to?: string;
  readonly list?: boolean;
  readonly out?: string;
  readonly predictor?: string;
  readonly replace?: boolean;
}

async function exportCampaign(name: string | undefined, flags: ExportFlags): Promise<number> {
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

function listFormats(flags: ExportFlags): number {
  if (flags.json === true) {
    const formats = FORMATS.map(({ name, kinds, content, loadedBy }) => {
      return { format: name, kinds, content, loadedBy };
    });
    printDocument({ formats });
    return EXIT.ok;
  }
  printTable(
    ['FORMAT', 'KINDS', 'CONTENT', 'LOADED BY'],
    FORMATS.map(({ name, kinds, content, loadedBy }) => [name, kinds.join(','), content, loadedBy]),
  );
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

function printResult(exported: Exported, out: string, { json }: ExportFlags): void {
  const { campaign, format, leftOut, notes, otherKinds, files } = exported;
  const count = exported.exported;
  const document = { campaign, format, out, exported: count, leftOut, notes, otherKinds };
  if (json) printDocument({ ...document, files: files.size });
  else printLine(out);
  say(`${campaign}: as ${format}, ${count} items in ${files.size} files in ${out}`);
  if (otherKinds > 0) say(`  ${otherKinds} items are of kinds that ${format} does not support`);
  const reasons = leftOut.map(({ id, code, message }) => ({ id, message: `${message} (${code})` }));
  printRemarks('left out', reasons, out);
  printRemarks('note', notes, out);
}

/** If there are more of a kind, the others are only in export.json. */
const MAX_SHOWN = 20;

function printRemarks(what: string, remarks: readonly Remark[], out: string): void {
  for (const { id, message } of remarks.slice(0, MAX_SHOWN)) say(`  ${what}: ${id}: ${message}`);
  const more = remarks.length - MAX_SHOWN;
  if (more > 0) say(`  ${what}: ${more} more, all in ${buildAddress(out, EXPORT_RECORD)}`);
}
