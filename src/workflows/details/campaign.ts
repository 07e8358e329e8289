/** What the Temporal UI shows of a campaign, in markdown. Pure. */
import type { CampaignProgress } from '../../domain/campaign.ts';
import type { Foreseen } from '../verbs.ts';
import { blocks, largest, table, verbatim } from './markdown.ts';
import { utc } from './utc.ts';

export interface CampaignStanding {
  readonly progress: CampaignProgress;
  /** null as long as nobody has looked. */
  readonly foreseen: Foreseen | null;
  /** ms since the epoch */
  readonly startedAt: number;
  /** The output tree. */
  readonly store: string;
}

const CODES_SHOWN = 20;

/** @param now ms since the epoch */
export function campaignDetails(standing: CampaignStanding, now: number): string {
  const { progress, foreseen, startedAt, store } = standing;
  const { campaign, state, failuresByCode } = progress;
  return blocks(
    `**${verbatim(campaign)}**: **${state}**`,
    [
      `- started: ${utc(startedAt, now)}`,
      ...(state === 'running' ? [`- end expected: ${endText(foreseen, now)}`] : []),
      `- results: ${verbatim(store)}`,
    ].join('\n'),
    countsTable(progress),
    Object.keys(failuresByCode).length > 0 && codesTable(failuresByCode),
  );
}

function endText(foreseen: Foreseen | null, now: number): string {
  if (foreseen === null) return 'not known yet';
  const { endsAt, seenAt } = foreseen;
  const seen = `as seen at ${utc(seenAt, now)}`;
  return endsAt === null ? `not decided by a limit, ${seen}` : `${utc(endsAt, now)}, ${seen}`;
}

function countsTable({ ended, open, following = 0, total }: CampaignProgress): string {
  const done = Object.values(ended).reduce((sum, n) => sum + n, 0);
  const counts: readonly (readonly [string, number])[] = [
    ...Object.entries(ended),
    ['open', open],
    ['share the job of another row', following],
    ['not started yet', Math.max(0, total - done - open - following)],
  ];
  const rows = counts.filter(([, n]) => n > 0);
  return table(
    [{ title: 'items' }, { title: 'number', numbers: true }],
    [...rows, ['**all**', `**${total}**`]],
  );
}

function codesTable(failuresByCode: Readonly<Record<string, number>>): string {
  const { shown, others } = largest(failuresByCode, CODES_SHOWN);
  return table(
    [{ title: 'did not succeed because of' }, { title: 'items', numbers: true }],
    [
      ...shown.map(([code, n]) => [verbatim(code), n] as const),
      ...(others > 0 ? [['other codes', others] as const] : []),
    ],
  );
}
