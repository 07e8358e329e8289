/** What `run --compare-lanes` prints of a lane: the largest differences, whether they are within tolerance, what to do next. */
import { join } from 'node:path';
import { AGREEMENT } from '../report/agreement.ts';
import { COMPARISON_PAGE, DIFFERENCES } from '../report/page/comparison-page.ts';
import { type ComparedLane, type PreparedComparison, runCommand } from '../runner/command-line.ts';
import type { Flags } from './options.ts';
import { formatCount, listFirst, printLine, printTable } from './terminal.ts';

const HEADER = ['KIND', 'VALUE', 'PAIRS', 'LARGEST', 'AT', 'TOLERANCE', 'WITHIN'];

const MAX_IDS = 8;

export function printComparedLane(
  compared: ComparedLane,
  prepared: PreparedComparison,
  manifests: readonly string[],
  flags: Flags,
): void {
  const { lane, pairs, alone, values, engines, folder } = compared;
  const [theirs, ours] = engines.map((versions) => versions.join(', ') || 'not stated');
  printLine(`The lane ${lane} and the service: ${formatCount(pairs, 'pair')} of results.`);
  printLine(`  version of the engine: ${theirs ?? ''} (service), ${ours ?? ''} (${lane})`);
  printTable(HEADER, values.map(listCells));
  const unjudged = Math.max(0, ...values.map((one) => one.unjudged));
  if (unjudged > 0)
    printLine(
      `  ${formatCount(unjudged, 'flexible molecule')} not compared by charges: these depend on the conformation, and differ each time.`,
    );
  const ids = [...new Set(values.flatMap(({ differing }) => differing))];
  if (ids.length > 0) printLine(`  differ by more than the tolerance: ${formatIds(ids)}`);
  if (alone.length > 0) printLine(`  with a result of only one: ${formatIds(alone)}`);
  printLine(`  page: ${join(folder, COMPARISON_PAGE)}`);
  printLine(
    `  tables beside it: ${AGREEMENT} (this one), ${DIFFERENCES} (all measures of all pairs)`,
  );
  for (const line of listNextSteps(compared, prepared, manifests, flags)) printLine(line);
}

function listCells(value: ComparedLane['values'][number]): (string | null)[] {
  const { kind, title, pairs, largest, id, tolerance, differing } = value;
  const shown = largest === null ? null : largest === 0 ? '0' : largest.toPrecision(2);
  const within = pairs === 0 ? null : differing.length === 0 ? 'yes' : 'NO';
  return [kind, title, String(pairs), shown, largest ? id : null, String(tolerance), within];
}

function formatIds(ids: readonly string[]): string {
  return listFirst(ids, MAX_IDS, (n) => `${n} more`).join(', ');
}

function listNextSteps(
  { lane, agrees, alone, values, keys }: ComparedLane,
  { samples }: PreparedComparison,
  manifests: readonly string[],
  flags: Flags,
): readonly string[] {
  const isTyped = flags.also === lane;
  if (agrees)
    return isTyped
      ? [
          'They agree: the rows of one table may come from both.',
          `To begin: ${runCommand(manifests, { ...flags, compareLanes: undefined })}`,
        ]
      : [
          'They agree: the rows of one table may come from both. Write in the configuration:',
          ...keys.map((key) => `  sameEngine: true    at ${key}`),
        ];
  const [service = '', retried = ''] = [null, lane].map(
    (place) => samples.find((one) => one.lane === place)?.name,
  );
  const again =
    alone.length > 0
      ? [`Run what failed again, then this command: hundredfold retry ${retried} (or ${service})`]
      : [];
  if (values.every(({ differing }) => differing.length === 0))
    return [...again, 'These rows do not show whether the engines agree: compare others, or more.'];
  return [
    ...again,
    isTyped
      ? 'They do not agree: leave out --also engines, or the rows of one table come from two engines.'
      : 'They do not agree: do not write sameEngine: true for this lane, or the rows of one table come from two engines.',
  ];
}
