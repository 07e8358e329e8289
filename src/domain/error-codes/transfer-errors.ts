/** Errors of `pull` and `--where`. The table is in docs/object-store.md. */
import { wording, type ErrorTable } from './error-entry.ts';

export const TRANSFER_ERRORS = {
  TRANSFER_SAME_PLACE: {
    exit: 'refused',
    advice: '`pull` with the same `store.url` and `--out`',
    text: wording<{ address: string }>(
      ({ address }) => `store.url and --out are the same place: ${address}`,
      'Name the store in store.url (s3://bucket/prefix), and a folder of this machine with --out.',
    ),
  },
  WHERE_INVALID: {
    exit: 'usage',
    advice: 'a condition of `--where` has a wrong form or an unknown value',
    texts: {
      form: wording<{ condition: string }>(
        ({ condition }) => `--where ${condition} is not a condition`,
        'Write state=failed,held or kind=molecule or code=JOB_FAILED or id=a,b.',
      ),
      value: wording<{
        condition: string;
        property: string;
        value: string;
        known: readonly string[];
      }>(
        ({ condition, property, value }) =>
          `--where ${condition}: there is no ${property} ${value}`,
        ({ known }) => `One of ${known.join(', ')}.`,
      ),
    },
  },
  PULL_INTO_TREE: {
    exit: 'refused',
    advice: 'the folder is a tree in which a campaign was run',
    text: wording<{ folder: string }>(
      ({ folder }) => `${folder} is the output tree of a campaign, not a copy of one`,
      'Choose another folder with --out; nothing was changed.',
    ),
  },
} as const satisfies ErrorTable;
