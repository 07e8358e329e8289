/** Errors of `export`, and of opening a tree. The table is in docs/export.md. */
import { wording, type ErrorTable } from './error-entry.ts';

export const EXPORT_ERRORS = {
  EXPORT_WOULD_REPLACE: {
    exit: 'refused',
    advice:
      'the folder has files that are not those of an earlier export, or were changed since. Use another `--out`, or `--replace`',
    text: wording<{ location: string; files: number; shown: string }>(
      ({ location, files, shown }) =>
        `${location} has files that this export would replace, and that no export has written: ${shown} (${files})`,
      'They were not changed. Choose another folder with --out, or overwrite them with --replace.',
    ),
  },
  EXPORT_NOTHING: {
    exit: 'refused',
    advice: 'no selected item produces a file; see `hundredfold items NAME`',
    text: wording<{ campaign: string; format: string; reason: string }>(
      ({ campaign, format, reason }) => `${campaign} has nothing for ${format}: ${reason}`,
      ({ campaign }) =>
        `"hundredfold items ${campaign}" shows the items, "hundredfold export --list" what each format supports.`,
    ),
  },
  EXPORT_FORMAT_UNKNOWN: {
    exit: 'usage',
    advice: 'no such format; see `hundredfold export --list`',
    text: wording<{ name: string; known: readonly string[] }>(
      ({ name }) => `there is no export format ${JSON.stringify(name)}`,
      ({ known }) =>
        `One of ${known.join(', ')}; "hundredfold export --list" shows what each contains.`,
    ),
  },
  EXPORT_INCOMPLETE_COMMAND: {
    exit: 'usage',
    advice: 'NAME or `--to` is missing',
    text: wording(
      'export needs the name of a campaign and --to FORMAT',
      'hundredfold export --list shows the formats, hundredfold status the campaigns.',
    ),
  },
  TREE_UNKNOWN: {
    exit: 'usage',
    advice: 'NAME must be a campaign or the folder of its tree',
    texts: {
      'no campaign': wording<{ folder: string }>(
        ({ folder }) => `${folder} contains no campaign`,
        'Give the folder of a campaign: it contains campaign.json and items.csv.',
      ),
      'no folder': wording<{ folder: string }>(
        ({ folder }) => `${folder} is not a folder`,
        'Give the folder of a campaign: it contains campaign.json and items.csv.',
      ),
    },
  },
} as const satisfies ErrorTable;
