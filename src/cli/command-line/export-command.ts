/** The command line of `export`. */
import type { CommandLine } from './command-line.ts';
import type { ExportFlags } from '../commands/export.ts';

const HELP = `
NAME is a campaign, or the folder or s3:// address of an output tree. Notes, and items that were left out, are printed on
stderr and written to export.json in the same folder. Docs: docs/export.md.`;

export function addExportCommand({ program, config, json, ending }: CommandLine): void {
  program
    .command('export')
    .description('write results as files for other programs: GROMACS, OpenMM, RDKit, Jalview, …')
    .argument('[name]', 'campaign (default: the newest), or the folder of its output tree')
    .option('--to <format>', 'format to write; --list shows them')
    .option('--list', 'list the formats and their content')
    .option('--out <dir>', 'folder for the files (default: ./export/NAME-FORMAT)')
    .option(
      '--where <condition...>',
      'only items with this state=…, kind=…, code=… or id=…; separate values with commas',
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
    .addHelpText('after', HELP)
    .action(
      ending(async (name: string | undefined, flags: ExportFlags) =>
        (await import('../commands/export.ts')).exportCampaign(name, flags),
      ),
    );
}
