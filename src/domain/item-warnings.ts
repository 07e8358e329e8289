/** The warnings in item.json about an item that has succeeded: every text about one of them. */

interface WarningWords {
  /** In docs/output-tree.md: what happened; Markdown. */
  readonly meaning: string;
  /** Completes "3 items with …", when a campaign ends. */
  readonly brief: string;
  /** In item.json, a sentence. */
  readonly message: (facts: never) => string;
}

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
