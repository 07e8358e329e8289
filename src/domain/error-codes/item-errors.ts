/** Texts of errors with which items end; what such an end means is in item-end-codes.ts. */
import type { ItemEndCode } from '../item-end-codes.ts';
import { wording, type ErrorTexts } from './error-entry.ts';

const RUN_AGAIN =
  'Run the "hundredfold run" command of this campaign again: it recreates the file.';

export const ITEM_ERRORS = {
  ITEM_MISSING: {
    text: wording<{ location: string; id: string }>(
      ({ location, id }) => `${location} has no record of ${id}.`,
      RUN_AGAIN,
    ),
  },
  ITEM_INPUT_MISSING: {
    text: wording<{ location: string; file: string; id: string }>(
      ({ location, file, id }) => `${location} has no ${file} of ${id}.`,
      RUN_AGAIN,
    ),
  },
  RESULT_TOO_LARGE: {
    /** `seen` is the announced or received size, `key` the option of the configuration with the limit. */
    text: wording<{ where: string; seen: string; bytes: number; key: string }>(
      ({ where, seen, bytes, key }) => `${where}: ${seen}, and ${bytes} are allowed (${key}).`,
      ({ key }) =>
        `Raise ${key} in the configuration, and run the item again with "hundredfold retry".`,
    ),
  },
} as const satisfies Readonly<Partial<Record<ItemEndCode, ErrorTexts>>>;
