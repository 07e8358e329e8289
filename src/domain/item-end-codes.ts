/**
 * The codes with which an item ends (`error_code` in items.csv): what happened, and what to do. The report shows these
 * texts, and the table in docs/errors.md is generated from them (`node scripts/error-tables.ts`).
 */

/** Codes that are explained together. */
interface ItemEndWords {
  /** What happened, in a sentence. */
  readonly meaning: string;
  /** What to do about it, in a sentence or two. */
  readonly remedy: string;
}

const RETRY = 'Run `hundredfold retry`.';
const RETRY_OR_OPERATORS = `${RETRY} If it happens again, contact the service operators.`;

export const ITEM_ENDS = [
  {
    codes: ['SUBMIT_REFUSED'],
    meaning: 'The service rejected the job permanently (4xx). No slot was used.',
    remedy: 'Read the message of the service, correct the row, and run `failed.csv`.',
  },
  {
    codes: ['SUBMIT_UNSURE'],
    meaning:
      'State `held`: a submission was not answered, and the service cannot say whether it has the job.',
    remedy: 'If a duplicate job is acceptable, run `hundredfold retry`.',
  },
  {
    codes: ['SUBMIT_TAKEN'],
    meaning:
      'State `held`: the service rejects the job name as taken, so it has the job, but does not list it.',
    remedy: '`hundredfold retry` looks for the job again; a second retry submits a new job.',
  },
  {
    codes: ['JOB_FAILED'],
    meaning: 'The engine failed. `job.log` or `history.json` has its output.',
    remedy:
      'Usually the input is the cause: charge, elements or numbering. Correct the row and run `failed.csv`.',
  },
  {
    codes: ['JOB_LOST'],
    meaning: 'The service does not know the job, or no longer knows it.',
    remedy: `${RETRY} For an adopted job, check \`remote_id\`.`,
  },
  {
    codes: ['JOB_OVERDUE'],
    meaning: 'The job did not finish within `jobs.deadline`.',
    remedy:
      '`hundredfold retry` waits for it again, and submits a new job if it is overdue again. Contact the service operators.',
  },
  {
    codes: ['JOB_UNREADABLE'],
    meaning:
      'State `held`: until `jobs.deadline` the service answered for the job, but never in a way that says whether it has ended; or for `jobs.lostAfter` it refused to answer for this job alone.',
    remedy:
      'Compare the answer in the message with the documentation of the service. `hundredfold retry` waits for the same job again, and never submits a new one.',
  },
  {
    codes: ['JOB_STUCK'],
    meaning:
      'The service has not worked on the job for an hour, or calls it running an hour after its time limit.',
    remedy: RETRY_OR_OPERATORS,
  },
  {
    codes: ['RESULT_ABSENT', 'RESULT_EMPTY', 'RESULT_NOT_JSON', 'RESULT_TRUNCATED'],
    meaning: 'The service calls the job finished, but does not deliver a complete result.',
    remedy: RETRY_OR_OPERATORS,
  },
  {
    codes: ['RESULT_UNUSABLE'],
    meaning:
      'For half an hour the service sent a web page, or a compressed body that was not requested, instead of a file.',
    remedy: 'Open the address of the service in a browser. Then run `hundredfold retry`.',
  },
  {
    codes: ['RESULT_TOO_LARGE'],
    meaning: 'A file of the job is larger than `services.….maxDownload`.',
    remedy: 'Raise that key. Then `hundredfold retry` downloads the result of the same job.',
  },
  {
    codes: ['RESULT_TOO_COMPLEX'],
    meaning: 'The JSON has more than 100 levels, or more than 2,000,000 objects, lists and keys.',
    remedy: 'Contact the service operators: no valid result looks like this.',
  },
  {
    codes: ['RESULT_UNREACHABLE'],
    meaning:
      'The service was unreachable for 13 days after the job had finished (one public server keeps results for two weeks); or for `jobs.lostAfter` it sent the files of other jobs, and not that of this one.',
    remedy: RETRY,
  },
  {
    codes: ['RESULT_MISSING_FILES', 'RESULT_UNSAFE_NAME'],
    meaning: 'Some of the 19 files of a molecule are missing, or have names that cannot be stored.',
    remedy:
      'Usually the input is the cause: charge, elements or numbering. Correct the row and run `failed.csv`.',
  },
  {
    codes: ['RESULT_NEEDS_REVISION', 'RESULT_WRONG_CHARGE'],
    meaning:
      'The engine guessed parameters, or used a charge that differs from the input or from `net_charge`.',
    remedy:
      'Do not simulate with the files under `rejected/` as they are. Correct charge or structure, and run `failed.csv`.',
  },
  {
    codes: ['RESULT_WRONG_ATOMS'],
    meaning:
      'The topology differs from the input or from the coordinates, contains several molecules, or lacks hydrogens.',
    remedy:
      'Do not simulate with the files under `rejected/`. Add hydrogens with `obabel -h`, or give a SMILES instead.',
  },
  {
    codes: ['RESULT_OTHER_MOLECULE', 'RESULT_OTHER_TAUTOMER'],
    meaning:
      'The formula is right, but the bonds are not: the result is an isomer or a tautomer of the input.',
    remedy:
      'Do not simulate with the files under `rejected/`. Check the structure in the input. If it is right, run `hundredfold retry`.',
  },
  {
    codes: ['RESULT_OTHER_STEREO'],
    meaning: 'The result is another stereoisomer than the input specifies.',
    remedy:
      'Compare the input with the files under `rejected/`. If the input is right, give a file with coordinates of that stereoisomer.',
  },
  {
    codes: ['RESULT_OTHER_JOB', 'RESULT_FILES_DISAGREE'],
    meaning: 'One of the files that the service sent belongs to another job, or is cut.',
    remedy: RETRY_OR_OPERATORS,
  },
  {
    codes: ['RESULT_NOT_A_NUMBER'],
    meaning: 'A residue has NaN, or nothing, in place of a number.',
    remedy: RETRY_OR_OPERATORS,
  },
  {
    codes: ['RESULT_WRONG_SEQUENCE', 'RESULT_MISSING_VALUES', 'RESULT_ALL_MISSING'],
    meaning:
      'The result has residues that were not submitted, a predictor without values, or only missing values.',
    remedy: 'The files are kept under `rejected/`. For chemical shifts, try another `model_class`.',
  },
  {
    codes: ['RESULT_NOT_READABLE', 'RESULT_WRONG', 'PLUGIN_FAILED'],
    meaning:
      'Of a kind of your own: its plugin cannot read the result, finds it wrong, or threw an error while it read it.',
    remedy:
      'The files are kept under `rejected/`. If the plugin is at fault, correct it; then run `hundredfold retry`: it asks for the result of the same job.',
  },
  {
    codes: ['ITEM_MISSING', 'ITEM_INPUT_MISSING'],
    meaning: 'The folder of the item was changed while the campaign ran.',
    remedy: 'Run the same `run` command again: it recreates the folder.',
  },
  {
    codes: ['ITEM_ENDED_BY_HAND'],
    meaning: 'The workflow of the item was terminated in Temporal.',
    remedy: RETRY,
  },
  {
    codes: ['CANCELLED'],
    meaning: 'The campaign was cancelled before the item had ended.',
    remedy: 'If you still want the result, run `hundredfold retry`.',
  },
  {
    codes: ['INTERNAL'],
    meaning: 'This is a bug in hundredfold.',
    remedy: 'Please report it, with the history of the item from the Temporal UI.',
  },
] as const satisfies readonly (ItemEndWords & { readonly codes: readonly string[] })[];

/**
 * A code with which items end. Items also end with codes of the store, with those of problems of their rows, and with
 * those of a plugin's checks.
 */
export type ItemEndCode = (typeof ITEM_ENDS)[number]['codes'][number];

/** Codes that are not listed one by one. */
export const ITEM_END_FAMILIES: readonly (ItemEndWords & {
  readonly prefixes: readonly string[];
})[] = [
  {
    prefixes: ['STORE_'],
    meaning: 'A file in the output tree could not be read or written.',
    remedy: 'Free space or grant the permission that the message names. Then run again.',
  },
  {
    prefixes: ['MANIFEST_', 'MOLECULE_', 'SMILES_', 'SEQUENCE_', 'ALIGNMENT_', 'SHIFTS_'],
    meaning: 'The row, or the file that it names, cannot be submitted as it is.',
    remedy: 'Correct the row as the message says, and run `failed.csv`.',
  },
];

/** From a tree written by another version. */
const UNKNOWN: ItemEndWords = {
  meaning: 'This version of hundredfold does not know the code.',
  remedy: 'Read the message of the item.',
};

const WORDS: ReadonlyMap<string, ItemEndWords> = new Map(
  ITEM_ENDS.flatMap(({ codes, ...words }) => codes.map((code) => [code, words])),
);

/** The text for a code, without markup. */
export function findItemEndWords(code: string): ItemEndWords {
  const family = ITEM_END_FAMILIES.find(({ prefixes }) =>
    prefixes.some((prefix) => code.startsWith(prefix)),
  );
  const { meaning, remedy } = WORDS.get(code) ?? family ?? UNKNOWN;
  return { meaning: removeBackquotes(meaning), remedy: removeBackquotes(remedy) };
}

/** Without Markdown code marks. */
function removeBackquotes(text: string): string {
  return text.replaceAll('`', '');
}
