/** The commands about results: from the output tree of a campaign. */
import type { Command } from 'commander';
import { checkName } from '../../domain/name.ts';
import { config, json, loadLazily, NEWEST, treesThere } from './options.ts';
import { addRowOptions } from './rows.ts';

const EXPORT_HELP = `
NAME is a campaign, or the folder or s3:// address of an output tree. Notes, and items that were left out, are printed on
stderr and written to export.json in the same folder. Docs: docs/export.md.`;

export function addResults(program: Command): void {
  program
    .command('report')
    .description('rebuild the tables and report.html of a campaign from its output tree')
    .argument('[name]', NEWEST, checkName)
    .addOption(treesThere())
    .option('--open', 'show the report in the browser')
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/report.ts')).report));
  addExport(program);
  program
    .command('verify')
    .description('check digests, tables, summary and crate of a campaign against its items')
    .argument('[name]', `${NEWEST}, or the folder or s3:// address of its tree`)
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/verify.ts')).verify));
  addRowOptions(
    program
      .command('pull')
      .description('copy the output tree of a campaign, or a part of it, from its store to disk')
      .argument('<name>', '', checkName)
      .option('--out <dir>', 'folder on this machine (default: ./results)'),
  )
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/pull.ts')).pull));
  program
    .command('logs')
    .description('print the log of a campaign, or the history of one of its items')
    .argument('[name]', NEWEST, checkName)
    .argument('[id]', 'item; prints its attempts, and the log of its job if the service has one')
    .addOption(treesThere())
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/logs.ts')).logs));
}

function addExport(program: Command): void {
  addRowOptions(
    program
      .command('export')
      .description('write results as files for other programs: GROMACS, OpenMM, RDKit, Jalview, …')
      .argument('[name]', `${NEWEST}, or the folder of its output tree`)
      .option('--to <format>', 'format to write; --list shows them')
      .option('--list', 'list the formats and their content')
      .option('--out <dir>', 'folder for the files (default: ./export/NAME-FORMAT)'),
  )
    .option('--predictor <key>', 'the track for pdb and jalview (default: backbone)')
    .option(
      '--structure-column <name>',
      'manifest column that names structure files (default: structure)',
    )
    .option(
      '--structures <dir>',
      'folder that contains these files (default: the folder of the manifest)',
    )
    .option('--replace', 'overwrite files of an earlier export that differ')
    .addOption(config())
    .addOption(json())
    .addHelpText('after', EXPORT_HELP)
    .action(loadLazily(async () => (await import('../commands/export.ts')).exportCampaign));
}
