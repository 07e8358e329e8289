/** The codes with which an item ends, for people: what happened and what to do (docs/operations.md has the same). */

export interface EndWords {
  /** What happened, in a sentence. */
  readonly meaning: string;
  /** What to do about it, in a sentence or two. */
  readonly remedy: string;
}

const RETRY = 'Run it again: hundredfold retry.';
const KEEPERS = `${RETRY} If it comes again, tell the service's keepers.`;
const LOOK_AT_INPUT =
  'Usually it is the input: charge, elements, numbering. Mend the row and run failed.csv.';

const incomplete = {
  meaning: 'The service calls the job finished and gives no whole result.',
  remedy: KEEPERS,
};
const misshapen = {
  meaning: 'Of the molecule’s files some are missing, or are named so that they cannot be stored.',
  remedy: LOOK_AT_INPUT,
};
const doubtful = {
  meaning: 'The engine guessed parameters, or gave another charge than was asked for.',
  remedy: 'The files are kept: look at them. Do not simulate with them as they are.',
};
const notWhatWasSent = {
  meaning: 'Residues that were not sent, a predictor without values, or nothing but “missing”.',
  remedy: 'The file is kept: look at it. For shifts another model_class may do.',
};
const otherMolecule = {
  meaning: 'The result is of another molecule with the same formula: an isomer or a tautomer.',
  remedy:
    'Do not simulate with its files. Check the structure in the input; if that is right, hundredfold retry.',
};
const otherJob = {
  meaning: 'One of the files that the service sent belongs to another job.',
  remedy: KEEPERS,
};
const changed = {
  meaning: 'Its folder was changed while the campaign ran.',
  remedy: 'Type the run command again: the folder is written anew.',
};

const WORDS: Readonly<Record<string, EndWords>> = {
  SUBMIT_REFUSED: {
    meaning: 'The service refused the job for good; no slot was spent.',
    remedy: 'Read its words, mend the row, and run failed.csv.',
  },
  SUBMIT_UNSURE: {
    meaning: 'Nobody can say whether the service has the job.',
    remedy: 'When you can do with a second job: hundredfold retry.',
  },
  SUBMIT_TAKEN: {
    meaning: 'The service refuses the job’s name as taken, and does not list the job.',
    remedy: 'hundredfold retry looks for it once more; a second retry sends a new job.',
  },
  JOB_FAILED: {
    meaning: 'The engine failed; job.log or history.json say more.',
    remedy: LOOK_AT_INPUT,
  },
  JOB_LOST: {
    meaning: 'The service does not know the job, or has deleted it.',
    remedy: `${RETRY} Of an adopted job, check remote_id.`,
  },
  JOB_OVERDUE: {
    meaning: 'The job had not finished within jobs.deadline.',
    remedy:
      'hundredfold retry waits for it once more, then sends a new job; ask the operator of the service.',
  },
  JOB_STUCK: {
    meaning: 'The service itself has not worked on the job for an hour.',
    remedy: KEEPERS,
  },
  RESULT_ABSENT: incomplete,
  RESULT_EMPTY: incomplete,
  RESULT_NOT_JSON: incomplete,
  RESULT_TRUNCATED: incomplete,
  RESULT_UNUSABLE: {
    meaning: 'A web page, or a compressed body that nobody asked for, came in place of a file.',
    remedy: 'Look at the service’s address in a browser; then hundredfold retry.',
  },
  RESULT_TOO_LARGE: {
    meaning: 'A file of the job is larger than the configuration allows.',
    remedy: 'Raise services.….maxDownload; then hundredfold retry asks for the same job again.',
  },
  RESULT_TOO_COMPLEX: {
    meaning: 'The result has more levels, objects or keys than any result.',
    remedy: KEEPERS,
  },
  RESULT_UNREACHABLE: {
    meaning: 'The service was not there until it had deleted the result.',
    remedy: RETRY,
  },
  RESULT_MISSING_FILES: misshapen,
  RESULT_UNSAFE_NAME: misshapen,
  RESULT_NEEDS_REVISION: doubtful,
  RESULT_WRONG_CHARGE: doubtful,
  RESULT_OTHER_MOLECULE: otherMolecule,
  RESULT_OTHER_TAUTOMER: otherMolecule,
  RESULT_OTHER_STEREO: {
    meaning: 'The result is another stereoisomer than the input specifies.',
    remedy:
      'Do not simulate with its files. If the input is right, give a file with coordinates of that stereoisomer.',
  },
  RESULT_OTHER_JOB: otherJob,
  RESULT_FILES_DISAGREE: otherJob,
  RESULT_WRONG_SEQUENCE: notWhatWasSent,
  RESULT_MISSING_VALUES: notWhatWasSent,
  RESULT_ALL_MISSING: notWhatWasSent,
  ITEM_MISSING: changed,
  ITEM_INPUT_MISSING: changed,
  ITEM_ENDED_BY_HAND: { meaning: 'Somebody terminated its workflow.', remedy: RETRY },
  CANCELLED: {
    meaning: 'The campaign was cancelled before it had ended.',
    remedy: 'Should you want it after all: hundredfold retry.',
  },
  INTERNAL: {
    meaning: 'A mistake of hundredfold itself.',
    remedy: 'Please report it, with the item’s history from the Temporal UI.',
  },
};

/** For codes that stand for a family: the first that fits. */
const FAMILIES: readonly (readonly [prefix: string, words: EndWords])[] = [
  ['RESULT_', { meaning: 'The result is not what it should be.', remedy: KEEPERS }],
  [
    'STORE_',
    {
      meaning: 'Something is wrong with the files in the output folder.',
      remedy: 'Put right what the words name, free space or permission; then run again.',
    },
  ],
];

/** What is wrong with a row of the manifest has many codes; each message says what. */
const ROW: EndWords = {
  meaning: 'The row, or the file that it names, cannot be sent as it is.',
  remedy: 'Mend the row as the message says, and run failed.csv.',
};

export function endWords(code: string): EndWords {
  const family = FAMILIES.find(([prefix]) => code.startsWith(prefix));
  return WORDS[code] ?? family?.[1] ?? ROW;
}
