/**
 * The checks against runs of the real engine: no input that fails or gives a wrong result is submitted unchanged, and
 * none with a right result is refused. Skipped if the sample data are missing.
 */
import { describe, expect, test } from 'vitest';
import { confusion, isThere, judgeProteins } from './answer-key-proteins.ts';

/** Wrong or failing as given, and right in the form that is sent, by the end of their names. */
const CORRECTED = [
  // A record without a name, and three with one.
  /edge\/awkward_headers-/,
  // A byte order mark, and a sequence without a header.
  /edge\/bom-/,
  /edge\/no_header-/,
  /edge\/stop_at_end-/,
  /msa\/(malformed_)?dot_gaps-/,
  /msa\/(malformed_)?duplicate_ids-/,
];

describe.each(['own', 'public'])('%s', (owner) => {
  test.skipIf(!isThere(owner))('the checks agree with the outcome of every run', async () => {
    const judged = await judgeProteins(owner);
    console.info(`${owner}\n${confusion(judged)}`);
    // Enough of each for a meaningful test.
    expect(judged.filter(({ outcome }) => outcome === 'right').length).toBeGreaterThan(40);
    expect(judged.filter(({ outcome }) => outcome !== 'right').length).toBeGreaterThan(20);
    const bad = judged.filter(({ outcome, verdict, run }) =>
      outcome === 'right'
        ? verdict === 'refused'
        : verdict === 'passed' ||
          (verdict === 'corrected' && !CORRECTED.some((one) => one.test(run))),
    );
    expect(bad).toEqual([]);
  });
});
