/** Errors of arguments, or of what they name. */
import type { ErrorRow } from './error-row.ts';

export const USAGE_ERRORS = [
  {
    codes: ['OPTION_INVALID'],
    exit: 'usage',
    advice: 'an option on the command line has an invalid value',
  },
  {
    codes: ['NAME_INVALID'],
    exit: 'refused',
    advice: 'use letters, digits, dots, hyphens and underscores, 64 at most, no leading dot',
  },
  {
    codes: ['CAMPAIGN_DIFFERS'],
    exit: 'refused',
    advice: 'give the new campaign another `--name`, or wait',
  },
  {
    codes: ['CAMPAIGN_RUNNING'],
    exit: 'refused',
    advice: '`retry` while the campaign runs: wait until it has ended, or cancel it',
  },
  {
    codes: ['MOVE_NOT_EMBEDDED', 'MOVE_NO_TEMPORAL', 'MOVE_OTHER_SERVICE'],
    exit: 'refused',
    advice:
      '`move` moves campaigns from the embedded server to the Temporal server that `--to` names; services and tokens must be the same there ([cluster.md](cluster.md#move-an-open-campaign))',
  },
  {
    codes: ['DEPLOYMENT_UNKNOWN', 'DEPLOYMENT_UNKNOWN_BUILD', 'DEPLOYMENT_NO_FORMER'],
    exit: 'usage',
    advice:
      'Temporal has seen no worker of that deployment or version, or no version was current before: `hundredfold deployment status` lists the known ones',
  },
  {
    codes: ['DEPLOYMENT_UNSUPPORTED'],
    exit: 'usage',
    advice:
      'the Temporal server has no Worker Deployments (older than 1.29, or switched off): stop all workers before an upgrade',
  },
  {
    codes: ['ITEM_NOT_RETRYABLE'],
    exit: 'refused',
    advice:
      'an item named to `retry` succeeded, or cannot be run from the tree: remove it from the command',
  },
  {
    codes: ['CAMPAIGN_FOLDER_TAKEN'],
    exit: 'refused',
    advice: 'the output folder belongs to another campaign: choose another `--out`',
  },
  {
    codes: ['CAMPAIGN_NOT_ENDED'],
    exit: 'refused',
    advice: '`report` while the campaign is open: the campaign writes its report when it ends',
  },
  {
    codes: ['DEPOSIT_BUSY'],
    exit: 'refused',
    advice:
      'another command is writing the archive in this folder: wait for it, or choose another folder with `--out`',
  },
  {
    codes: ['DEPOSIT_NOT_WHOLE'],
    exit: 'incomplete',
    advice:
      '`deposit --zip` of a tree that has changed since it was published; no archive is written. `hundredfold verify` lists every difference',
  },
  {
    codes: ['RECOMPUTE_SHARE'],
    exit: 'usage',
    advice: '`verify --recompute` takes a share such as `1%`, or a number of items',
  },
  { codes: ['ITEM_UNKNOWN'], exit: 'usage', advice: '`hundredfold items NAME` lists the ids' },
  {
    codes: ['REPORT_MISSING', 'REPORT_IN_BUCKET'],
    exit: 'usage',
    advice:
      '`open` before the end of the campaign, or with a tree in a bucket: the message says how to get the report',
  },
  {
    codes: ['UI_UNKNOWN'],
    exit: 'refused',
    advice: '`ui` where Temporal runs elsewhere, or runs here without the UI',
  },
  {
    codes: ['UI_OFF'],
    exit: 'usage',
    advice: '`ui` where Temporal runs elsewhere, or runs here without the UI',
  },
  {
    codes: ['USAGE'],
    exit: 'usage',
    advice: 'a command or an option that does not exist: `hundredfold COMMAND --help`',
  },
  {
    codes: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_NONE'],
    exit: 'usage',
    advice: '`hundredfold list` shows the names; each `embedded.dir` has its own campaigns',
  },
  {
    codes: ['CAMPAIGN_NOT_PUBLISHED', 'CAMPAIGN_BROKEN_OFF', 'ITEMS_OPEN'],
    exit: 'usage',
    advice:
      'its workflow was terminated, or a command was killed while it added rows: run its `run` command again',
  },
  {
    codes: ['MANIFEST_EMPTY'],
    exit: 'refused',
    advice: 'the manifest has no row to run: [manifest.md](manifest.md)',
  },
  {
    codes: ['MANIFEST_REFUSED'],
    exit: 'refused',
    advice: 'library: `problems` lists what is wrong, row by row',
  },
  {
    codes: ['MANIFEST_UNREADABLE'],
    exit: 'refused',
    advice: 'check the path of the manifest, and who may read it',
  },
  {
    codes: [
      'ADOPT_NOTHING_NAMED',
      'ADOPT_ID_INVALID',
      'ADOPT_KIND_OF_OTHER',
      'ADOPT_KIND_UNKNOWN',
      'ADOPT_NO_LIST',
      'ADOPT_MANIFEST_UNREADABLE',
    ],
    exit: 'refused',
    advice: '[adopting.md](adopting.md#when-adopt-refuses)',
  },
  {
    codes: ['ADOPT_LIST_UNAVAILABLE'],
    exit: 'usage',
    advice: '[adopting.md](adopting.md#when-adopt-refuses)',
  },
  {
    codes: ['EXPORT_FORMAT_UNKNOWN', 'EXPORT_INCOMPLETE_COMMAND'],
    exit: 'usage',
    advice: '[export.md](export.md#messages)',
  },
  {
    codes: ['EXPORT_NOTHING', 'EXPORT_WOULD_REPLACE'],
    exit: 'refused',
    advice: '[export.md](export.md#messages)',
  },
  { codes: ['WHERE_INVALID'], exit: 'usage', advice: '[object-store.md](object-store.md#errors)' },
  {
    codes: ['TRANSFER_SAME_PLACE', 'PULL_INTO_TREE', 'PUSH_WOULD_REPLACE'],
    exit: 'refused',
    advice: '[object-store.md](object-store.md#errors)',
  },
] as const satisfies readonly ErrorRow[];
