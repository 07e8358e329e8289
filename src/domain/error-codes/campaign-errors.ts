/** Errors of campaigns, their manifests and their items. The table is in docs/operations.md. */
import { wording, type ErrorTable } from './error-entry.ts';

const UNKNOWN = {
  exit: 'usage',
  advice: '`hundredfold status` shows the names; each `embedded.dir` has its own campaigns',
} as const;

const NOT_PUBLISHED = {
  exit: 'usage',
  advice:
    'its workflow was terminated, or a command was killed while it added rows: run its `run` command again',
} as const;

export const CAMPAIGN_ERRORS = {
  CAMPAIGN_DIFFERS: {
    exit: 'refused',
    advice: 'give the new campaign another `--name`, or wait',
    texts: {
      'own manifest': wording<{ tree: string }>(
        ({ tree }) =>
          `the campaign in ${tree} has a manifest of its own, which \`adopt\` does not change`,
        'Add rows with a remote_id to its manifest, or choose another name with --name.',
      ),
      'other rows': wording<{ name: string; folder: string; files: string }>(
        ({ name, folder, files }) =>
          `the campaign ${name} in ${folder} has other rows (${files}), and none of the given ones`,
        'Choose another name with --name, or another folder with --out.',
      ),
      'runs elsewhere': wording<{ name: string; out: string }>(
        ({ name, out }) => `a campaign named ${name} is already running, with output in ${out}`,
        ({ name }) => `Choose another name with --name, or wait: hundredfold watch ${name}.`,
      ),
    },
  },
  CAMPAIGN_UNREPLAYABLE: {
    exit: 'usage',
    advice:
      'workers of the version that started it can continue it; otherwise `cancel` it and run its `run` command again, which continues with what is on disk',
    text: wording<{ name: string }>(
      ({ name }) => `the history of ${name} cannot be replayed by this version`,
      ({ name }) =>
        `Run "hundredfold cancel ${name}", then its "hundredfold run" command again: it continues with what is on disk, and nothing is submitted twice.`,
    ),
  },
  CAMPAIGN_RUNNING: {
    exit: 'refused',
    advice: '`retry` while the campaign runs: wait until it has ended, or cancel it',
    text: wording<{ name: string }>(
      ({ name }) =>
        `the campaign ${name} is running: items that have not ended cannot be run again`,
      ({ name }) =>
        `Wait until it has ended (hundredfold watch ${name}), or end it (hundredfold cancel ${name}); then run this command again.`,
    ),
  },
  ITEM_NOT_RETRYABLE: {
    exit: 'refused',
    advice:
      'an item named to `retry` succeeded, or cannot be run from the tree: remove it from the command',
    text: wording<{ reasons: readonly string[] }>(
      ({ reasons }) => reasons.join(' '),
      'Nothing was started. Only failed, held and cancelled items can be run again: items.csv lists them.',
    ),
  },
  CAMPAIGN_FOLDER_TAKEN: {
    exit: 'refused',
    advice: 'the output folder belongs to another campaign: choose another `--out`',
    text: wording<{ folder: string; former: string }>(
      ({ folder, former }) => `${folder} is the output of the campaign ${former}`,
      'Choose another folder with --out.',
    ),
  },
  CAMPAIGN_NOT_ENDED: {
    exit: 'refused',
    advice: '`verify` while the campaign is open: it is verified when it has ended',
    text: wording<{ name: string; ended: number; items: number }>(
      ({ name, ended, items }) => `${name} has not ended (${ended} of ${items})`,
      ({ name }) =>
        `Wait until it ends (hundredfold watch ${name}). If no command works on it, run its "hundredfold run" command again.`,
    ),
  },
  ITEM_UNKNOWN: {
    exit: 'usage',
    advice: '`hundredfold items NAME` lists the ids',
    text: wording<{ campaign: string; id: string }>(
      ({ campaign, id }) => `the campaign ${campaign} has no item ${id}`,
      ({ campaign }) => `hundredfold items ${campaign} lists them.`,
    ),
  },
  CAMPAIGN_UNKNOWN: {
    ...UNKNOWN,
    texts: {
      name: wording<{ name: string }>(
        ({ name }) => `no campaign is named ${name}`,
        '`hundredfold status` shows all campaigns.',
      ),
      folder: wording<{ name: string; folder: string }>(
        ({ name, folder }) =>
          `no campaign is named ${name}, and ${folder} is not its output folder`,
        '`hundredfold status` shows all campaigns; --out sets the folder of its output.',
      ),
      'new database': wording<{ name: string }>(
        ({ name }) => `Temporal has a new database and no longer knows the campaign ${name}`,
        'Run its "hundredfold run" command again: finished items are kept, and nothing is submitted twice.',
      ),
    },
  },
  CAMPAIGN_NOT_PUBLISHED: {
    ...NOT_PUBLISHED,
    text: wording<{ folder: string; file: string }>(
      ({ folder, file }) => `${folder} has no ${file}: the campaign has not ended there`,
      'Run the "hundredfold run" command of this campaign again.',
    ),
  },
  CAMPAIGN_BROKEN_OFF: {
    ...NOT_PUBLISHED,
    text: wording<{ name: string; reason: string }>(
      ({ name, reason }) => `the workflow of the campaign ${name} ${reason}`,
      'Run its "hundredfold run" command again: finished items are kept.',
    ),
  },
  ITEMS_OPEN: NOT_PUBLISHED,
  MANIFEST_EMPTY: {
    exit: 'refused',
    advice: 'the manifest has no row to run: [manifest.md](manifest.md)',
    text: wording(
      'the manifest has no rows',
      'Add a row for each molecule, sequence, alignment or shift file: docs/manifest.md.',
    ),
  },
  MANIFEST_REFUSED: {
    exit: 'refused',
    advice: 'library: `problems` lists what is wrong, row by row',
    text: wording<{ errors: number }>(
      ({ errors }) =>
        `the manifest has ${errors === 1 ? 'one error' : `${errors} errors`}; nothing was submitted`,
      'Correct the rows listed in `problems`, or set `skipInvalid` to run the others.',
    ),
  },
  INTERRUPTED: {
    exit: 'interrupted',
    advice: 'the campaign continues: start it again to follow it',
    text: wording(
      'the signal was aborted before the campaign ended',
      'Start the same campaign again to resume it: nothing is submitted twice.',
    ),
  },
} as const satisfies ErrorTable;
