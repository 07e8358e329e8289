/** The command line of `export`. */
import type { CommandLine } from './command-line.ts';
import type { ExportFlags } from './export.ts';

const HELP = `
NAME is a campaign, or the folder or s3:// address of an output tree. Notes, and what was left out and why, stand on
stderr and in export.json beside the files. Docs: docs/export.md.`;

export function addExportCommand({ program, config, json, ending }: CommandLine): void {
  program
    .command('export')
    .description('files of the results for the next program: GROMACS, OpenMM, RDKit, Jalview, …')
    .argument('[name]', 'campaign, or the folder of its output tree')
    .option('--to <format>', 'what to write; --list shows the formats')
    .option('--list', 'the formats, and what they hold')
    .option('--out <dir>', 'folder for the files (default: ./export/NAME-FORMAT)')
    .option(
      '--where <condition...>',
      'items only that state=…, kind=…, code=… or id=… holds for; several values with commas',
    )
    .option('--predictor <key>', 'the track for pdb, chimerax and molviewspec (default: backbone)')
    .option(
      '--structure-column <name>',
      'column of the manifest that names structure files (default: structure)',
    )
    .option(
      '--structures <dir>',
      'folder that these names begin at (default: that of the manifest)',
    )
    .option('--replace', 'write over files of an earlier export that have another content')
    .addOption(config())
    .addOption(json())
    .addHelpText('after', HELP)
    .action(
      ending(async (name: string | undefined, flags: ExportFlags) =>
        (await import('./export.ts')).exportCampaign(name, flags),
      ),
    );
}
