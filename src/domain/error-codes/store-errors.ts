/**
 * Errors of output trees. `retryable`: the same call can succeed later without a change to the item, and must not fail
 * the item. The table is in docs/operations.md.
 */
import { BUCKET_ERRORS } from './bucket-errors.ts';
import type { ErrorTable } from './error-entry.ts';
import { lasting, retried, STORE } from './store-wording.ts';

/** `action` completes "Cannot …"; `what` is the system's reason in words. */
export interface InFolder {
  action: string;
  what: string;
}

const cannot = ({ action, what }: InFolder): string => `Cannot ${action}: ${what}.`;

const FREE_SPACE =
  'Free some space there, or raise the quota. The campaign then continues; nothing is submitted twice.';

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const FOLDER_ERRORS = {
  STORE_FULL: {
    ...STORE,
    texts: {
      ...BUCKET_ERRORS.STORE_FULL.texts,
      folder: retried<InFolder>(cannot, FREE_SPACE),
      /** `needed` is null if the length is not known; `kept` is reserved. All in bytes. */
      reserve: retried<{ key: string; free: number; needed: number | null; kept: number }>(
        ({ key, free, needed, kept }) => {
          const room = needed === null ? '' : `${megabytes(needed)} are needed, and `;
          return `Cannot write ${key}: the disk has ${megabytes(free)} left; ${room}${megabytes(kept)} are reserved for records.`;
        },
        FREE_SPACE,
      ),
    },
  },
  STORE_READ_ONLY: {
    ...STORE,
    texts: {
      folder: retried<InFolder>(
        cannot,
        'Make the folder writable for the user that runs the worker, or choose another one with --out.',
      ),
    },
  },
  STORE_BUSY: {
    ...STORE,
    texts: {
      ...BUCKET_ERRORS.STORE_BUSY.texts,
      folder: retried<InFolder>(
        cannot,
        'Raise the limit on open files (ulimit -n), or run fewer workers on this machine.',
      ),
    },
  },
  STORE_IO: {
    ...STORE,
    texts: {
      ...BUCKET_ERRORS.STORE_IO.texts,
      folder: retried<InFolder>(
        cannot,
        'Check that the output folder still exists and that its disk is healthy.',
      ),
    },
  },
  STORE_BAD_KEY: {
    ...STORE,
    texts: {
      ...BUCKET_ERRORS.STORE_BAD_KEY.texts,
      folder: lasting<InFolder>(
        cannot,
        'Move the file or folder at that place of the output folder.',
      ),
      name: lasting<{ key: string; fault: string }>(
        ({ key, fault }) => `${JSON.stringify(key)} cannot be a path in the output tree: ${fault}.`,
        'Rename the item, or report the service that chose this file name; nothing was written.',
      ),
    },
  },
} as const satisfies ErrorTable;

const CONTENT_ERRORS = {
  STORE_TRUNCATED: {
    ...STORE,
    text: retried<{ key: string; expected: number; bytes: number }>(
      ({ key, expected, bytes }) =>
        `${key} was announced with ${expected} bytes, but ${bytes < expected ? bytes : 'more'} arrived.`,
      'The download is retried; if it keeps failing, contact the service operators.',
    ),
  },
  STORE_MISSING: {
    ...STORE,
    texts: {
      item: lasting<{ key: string }>(
        ({ key }) => `${key} is not in the output tree.`,
        'Run the item again with "hundredfold retry".',
      ),
      'read by a program': lasting<{ key: string }>(
        ({ key }) => `${key} is missing`,
        'Restore the file from a copy, or run "hundredfold retry" for its item.',
      ),
    },
  },
  STORE_RECORD_UNREADABLE: {
    ...STORE,
    texts: {
      item: lasting<{ key: string; faults: readonly string[] }>(
        ({ key, faults }) => `${key} is not an item record: ${faults.slice(0, 3).join('; ')}.`,
        // Never overwritten silently: it may be the only record of a job that was paid for.
        'Restore the file from a copy, or remove it and run the "hundredfold run" command again: the item then runs from the beginning.',
      ),
      campaign: lasting<{ key: string }>(
        ({ key }) => `${key} was changed or damaged and cannot be read.`,
        ({ key }) =>
          `Remove ${key} and run the "hundredfold run" command again: finished items are kept.`,
      ),
    },
  },
  STORE_DIGEST_MISMATCH: {
    ...STORE,
    texts: {
      ...BUCKET_ERRORS.STORE_DIGEST_MISMATCH.texts,
      copy: lasting<{ key: string }>(
        ({ key }) => `${key} is not what was published: its SHA-256 differs. It was not copied.`,
        'Restore it in the tree, or run its item again with "hundredfold retry".',
      ),
      'read by a program': lasting<{ key: string; found: string }>(
        ({ key, found }) => `${key} is not what was received: its SHA-256 is ${found}`,
        'Restore the file from a copy, or run "hundredfold retry" for its item.',
      ),
    },
  },
  STORE_NOT_PREPARED: {
    ...STORE,
    text: lasting<{ location: string; fault: string }>(
      ({ location, fault }) => `${location} is not a prepared campaign: ${fault}.`,
      'Run the "hundredfold run" command of this campaign again: it repairs the tree.',
    ),
  },
  STORE_DUPLICATE_ID: {
    ...STORE,
    text: lasting<{ id: string; file: string; line: number }>(
      ({ id, file, line }) =>
        `The id "${id}" is used for two items (again in ${file}, line ${line}).`,
      'Give every row of the campaign a unique id.',
    ),
  },
  ITEM_RECORD_FOREIGN: {
    exit: 'usage',
    advice: "restore the item's folder, or remove it and run the `run` command again",
    text: lasting<{ folder: string; record: string; fault: string }>(
      ({ folder, record, fault }) =>
        `${folder}/${record} ${fault}: it was changed, or the folder was copied or moved.`,
      ({ folder }) =>
        `Restore ${folder} from a copy, or remove that folder and run the "hundredfold run" command again: the item then runs from the beginning.`,
    ),
  },
} as const satisfies ErrorTable;

const LEASE_ERRORS = {
  TREE_NOT_HERE: {
    exit: 'refused',
    advice:
      'make the folder available to every worker under the same path; if it was removed, run `hundredfold cancel NAME --abandon`, then `run`',
    // Another worker may have access to the tree, and this one too once its disk is mounted.
    text: retried<{ folder: string; fault: string }>(
      ({ folder, fault }) => `${folder} is not the output tree of this campaign here: ${fault}.`,
      'Give every worker that folder under that path (mount its disk), or stop the worker that does not have it. If the folder was removed, end the campaign with "hundredfold cancel NAME --abandon" and run its "hundredfold run" command again.',
    ),
  },
  TREE_OTHER_PLUGIN: {
    exit: 'refused',
    advice:
      'name the plugin under `plugins:` of every command and worker, and restart them; to go on with a plugin that you have changed, run the `run` command of the campaign again ([plugins.md](plugins.md#one-plugin-for-a-campaign))',
    // Another worker may have the plugin.
    text: retried<{
      location: string;
      plugin: string;
      wanted: string;
      kind: string;
      found: string | null;
    }>(
      ({ location, plugin, wanted, kind, found }) =>
        `${location} has rows of the kind ${kind}, of the plugin ${plugin} (sha256 ${wanted}), and this process has ${found === null ? 'no plugin with it' : `another form of it (sha256 ${found})`}.`,
      'Name the plugin under plugins: in hundredfold.yaml, for commands and workers, and start them again. To go on with a plugin that you have changed, run the "hundredfold run" command of the campaign again.',
    ),
  },
  TREE_LEASED: {
    exit: 'refused',
    advice:
      'stop the server that the message names and type the command again, or choose another `--out`',
    // Resolved when the other one has ended.
    text: retried<{ location: string; holder: string }>(
      ({ location, holder }) => `${location} is in use by another Temporal server: ${holder}.`,
      'To continue with it here, stop that one (hundredfold stop, or its workers) and type this command again. Otherwise wait until the campaign there has ended, or choose another output folder with --out.',
    ),
  },
  TOKEN_LEASED: {
    exit: 'refused',
    advice:
      'run the campaign at the server that the message names, or wait ([cluster.md](cluster.md#one-token-two-servers-one-bucket))',
    /** `free`: when its lease has expired at the latest; null if that is not known. */
    text: retried<{ holder: string; free: string | null; location: string }>(
      ({ holder }) => `another Temporal server submits with this token: ${holder}.`,
      ({ free, location }) =>
        `Two servers with one token would use its limit twice. Rows wait here as long as that one uses it.${
          free === null
            ? ''
            : ` If that one has stopped, this one continues automatically at ${free}.`
        } Only if it has certainly sent nothing within the window, remove the objects below ${location} to continue at once.`,
    ),
  },
} as const satisfies ErrorTable;

export const STORE_ERRORS = {
  ...BUCKET_ERRORS,
  ...FOLDER_ERRORS,
  ...CONTENT_ERRORS,
  ...LEASE_ERRORS,
};
