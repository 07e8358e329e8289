/** How a campaign ended: the closing message for users, the exit code. */
import { formatDuration } from '../../domain/units.ts';
import { EXIT } from '../../domain/errors.ts';
import { shortenWarning } from '../../domain/item-ends.ts';
import type { CampaignDocument, EndedCampaign } from '../../report/campaign-summary.ts';
import { buildAddress, CAMPAIGN_SUMMARY, FAILED_TABLE, REPORT } from '../../store/layout.ts';
import { say } from './output.ts';

interface Printing {
  /** Every item had ended before this command started. */
  readonly idle?: boolean;
  /** Gets each line; the default is stderr. */
  readonly print?: (line: string) => void;
}

/** For users. */
export function printEnd(
  { document, tookMs, damaged, warnings }: EndedCampaign,
  { idle = false, print = say }: Printing = {},
): void {
  const { items, campaign, state, out } = document;
  const took = tookMs === null || idle ? '' : ` in ${formatDuration(tookMs)}`;
  const others = (['failed', 'held', 'cancelled', 'invalid'] as const)
    .filter((end) => items[end] > 0)
    .map((end) => `, ${items[end]} ${end}`);
  const cancelled = state === 'cancelled' ? ' (cancelled)' : '';
  print(
    `${campaign}${cancelled}: ${items.succeeded} of ${items.total} succeeded${others.join('')}${took}.`,
  );
  if (idle) print('  Nothing to do: all items were already done. Nothing was submitted.');
  print(`  results: ${out}`);
  print(`  report: ${buildAddress(out, REPORT)}`);
  printDamaged(damaged, print);
  for (const [code, items] of Object.entries(warnings))
    print(`  warning: ${items} ${items === 1 ? 'item' : 'items'} with ${shortenWarning(code)}`);
  if (items.failed + items.held > 0)
    print(`  failures and reasons: ${buildAddress(out, FAILED_TABLE)}`);
  if (items.failed + items.held + items.cancelled > 0)
    print(`  run these items again: hundredfold retry ${campaign}`);
}

export function chooseExitCode({ state, items }: CampaignDocument): number {
  if (state === 'cancelled') return EXIT.cancelled;
  return items.succeeded === items.total ? EXIT.ok : EXIT.incomplete;
}

/** More are not useful on a screen. */
const DAMAGED_SAID = 3;

/** Files of the tree that are missing or differ from what was received. */
export function printDamaged(damaged: readonly string[], print = say): void {
  for (const sentence of damaged.slice(0, DAMAGED_SAID)) print(`  damaged: ${sentence}`);
  const more = damaged.length - DAMAGED_SAID;
  if (more > 0) print(`  damaged: ${more} more, in ${CAMPAIGN_SUMMARY}`);
}
