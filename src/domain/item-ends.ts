/**
 * How items end. The codes of ends (`error_code` in items.csv) say what happened and what to do: the report shows these
 * texts, and the table in docs/errors.md is generated from them (`node scripts/error-tables.ts`). Then the warnings of
 * items that have succeeded, and when a job is given up or replaced by another one. Pure.
 */
import type { Timing } from './outcomes.ts';

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
    meaning: 'A file of the job is larger than 64 MB, a hundred times the largest known one.',
    remedy: 'Contact the service operators: no valid result looks like this.',
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

interface WarningWords {
  /** In docs/output-tree.md: what happened; Markdown. */
  readonly meaning: string;
  /** Completes "3 items with …", when a campaign ends. */
  readonly brief: string;
  /** In item.json, a sentence. */
  readonly message: (facts: never) => string;
}

/** The warnings in item.json about an item that has succeeded. */
export const ITEM_WARNINGS = {
  RESULT_SEVERAL_SETS: {
    meaning:
      'the service gave several result sets for one molecule (contract, 2.4). The first complete one is used; the files of up to nine others are in `set-2/`, `set-3/` …, and all of them in `record.json`',
    brief: 'several result sets: the first is used, the others are in set-2/ … of the item folder',
    message: ({ folders }: { readonly folders: readonly string[] }) =>
      `The service gave ${folders.length + 1} result sets for one molecule. The first whole one is used; the files of the others are in ${folders.join(', ')}.`,
  },
  RESULT_FILES_ABSENT: {
    meaning:
      'the service answered 404 for a file that jobs of this kind usually have (`history.json`, `result.csv`, `metadata.*`, for alignments `distributions.*`), or refused it. The result was not compared with it',
    brief: 'files that the service did not give: the results were not compared with them',
    message: ({ names }: { readonly names: readonly string[] }) =>
      `The service did not give ${names.join(', ')}, which jobs of this kind usually have: the result was not compared with what is missing.`,
  },
} as const satisfies Readonly<Record<string, WarningWords>>;

export type ItemWarningCode = keyof typeof ITEM_WARNINGS;

const BRIEF: ReadonlyMap<string, string> = new Map(
  Object.entries(ITEM_WARNINGS).map(([code, { brief }]) => [code, brief]),
);

/** Completes "3 items with …", with the code. A tree of another version may have other codes. */
export function shortenWarning(code: string): string {
  const brief = BRIEF.get(code);
  return brief === undefined ? code : `${brief} (${code})`;
}

/** If the worker behind a running job is silent for longer, the job is no longer processed. */
const SILENT_SECONDS = 3_600;

/** The service fails a job that exceeds its time limit; if it has not done so after this long, in s, it never will. */
const OVERRUN_SECONDS = 3_600;

/** Why a job that the service calls unfinished will never finish; null while it may. */
export function explainStuckJob(
  ageMs: number,
  deadlineMs: number,
  timing: Timing | null,
): { code: ItemEndCode; message: string } | null {
  if (ageMs > deadlineMs) {
    const hours = (deadlineMs / 3_600_000).toFixed(1);
    return { code: 'JOB_OVERDUE', message: `not finished ${hours} h after it was accepted` };
  }
  const silent = timing?.heartbeatAgeSeconds ?? 0;
  if (timing?.startedAt && silent > SILENT_SECONDS) {
    return { code: 'JOB_STUCK', message: `the service has not worked on it for ${silent} s` };
  }
  const overrun = (timing?.elapsedSeconds ?? 0) - (timing?.timeLimitSeconds ?? Infinity);
  if (overrun > OVERRUN_SECONDS) {
    return { code: 'JOB_STUCK', message: `still called running ${overrun} s past its time limit` };
  }
  return null;
}

/** Of engines of the user's own (packages/local-services/choices.md). */
const MACHINE_FAILED = /^The machine failed, not the input: /m;

/** Whether the machine that ran a job has ended it, according to its message: another one may do it. */
export function isMachineFailure(code: string, message: string): boolean {
  return code === ('JOB_FAILED' satisfies ItemEndCode) && MACHINE_FAILED.test(message);
}

/** Ends after which a job has no result any more, regardless of how it ended before. */
const OF_NO_USE: readonly string[] = [
  'JOB_FAILED',
  'JOB_LOST',
  'JOB_STUCK',
  'RESULT_ABSENT',
] satisfies ItemEndCode[];

/**
 * Ends that say nothing against the job: the result of another one of the same input would be as large, and its state
 * as unreadable.
 */
const OF_EVERY_JOB: readonly string[] = [
  'JOB_UNREADABLE',
  'RESULT_TOO_LARGE',
] satisfies ItemEndCode[];

/**
 * Whether a job that was polled again must be replaced by another one.
 * @param before how the job had ended when its item was reopened
 */
export function shouldReplaceJob(code: string | null, before: string): boolean {
  if (code === null || OF_EVERY_JOB.includes(code)) return false;
  return OF_NO_USE.includes(code) || (code === before && /^(JOB|RESULT)_/.test(code));
}
