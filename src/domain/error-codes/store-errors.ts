/** Errors of output trees and their content. */
import type { ErrorRow } from './error-row.ts';

export const STORE_ERRORS = [
  {
    codes: [
      'STORE_FULL',
      'STORE_READ_ONLY',
      'STORE_BUSY',
      'STORE_IO',
      'STORE_TRUNCATED',
      'STORE_MISSING',
      'STORE_BAD_KEY',
      'STORE_RECORD_UNREADABLE',
      'STORE_DIGEST_MISMATCH',
      'STORE_NOT_PREPARED',
      'STORE_BAD_ADDRESS',
      'STORE_BUCKET_MISSING',
      'STORE_ACCESS_DENIED',
      'STORE_WRONG_REGION',
      'STORE_CLOCK_SKEW',
      'STORE_UNREACHABLE',
      'STORE_NOT_CONDITIONAL',
      'STORE_DUPLICATE_ID',
    ],
    exit: 'usage',
    advice:
      'the message names the file or bucket: free space, grant the permission, or correct `store`',
  },
  {
    codes: ['ITEM_RECORD_FOREIGN'],
    exit: 'usage',
    advice: "restore the item's folder, or remove it and run the `run` command again",
  },
  {
    codes: ['TREE_NOT_HERE'],
    exit: 'refused',
    advice:
      'make the folder available to every worker under the same path; if it was removed, run `hundredfold cancel NAME --abandon`, then `run`',
  },
  {
    codes: ['TREE_LEASED'],
    exit: 'refused',
    advice:
      'wait until the campaign that uses the folder has ended, continue in the folder from which it was started, or choose another `--out`',
  },
  {
    codes: ['TOKEN_LEASED'],
    exit: 'refused',
    advice:
      'run the campaign at the server that the message names, move its campaigns with `hundredfold move`, or wait ([cluster.md](cluster.md#one-token-two-servers-one-bucket))',
  },
] as const satisfies readonly ErrorRow[];
