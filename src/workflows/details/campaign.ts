/** What the Temporal UI shows of a campaign, in markdown. Pure. */
import type { CampaignSpec, CampaignProgress } from '../../domain/campaign.ts';
import { firstText } from '../../domain/campaign.ts';
import { countEnded } from '../../domain/states.ts';
import { blocks, largest, table, verbatim } from './markdown.ts';
import { utc } from './utc.ts';

interface CampaignStanding {
  readonly progress: CampaignProgress;
  /** ms since the epoch */
  readonly startedAt: number;
  /** The output tree. */
  readonly store: string;
}

const CODES_SHOWN = 20;
/** Characters. */
const REASON_SHOWN = 500;

export function campaignDetails(standing: CampaignStanding): string {
  const { progress, startedAt, store } = standing;
  const { campaign, state, failuresByCode } = progress;
  return blocks(
    `**${verbatim(campaign)}**: **${state}**`,
    [
      `- started: ${utc(startedAt)}`,
      `- results: ${verbatim(store)}`,
      ...pauses(progress),
      ...(progress.first ?? []).map((one) => `- ${firstText(one)}`),
    ].join('\n'),
    countsTable(progress),
    Object.keys(failuresByCode).length > 0 && codesTable(failuresByCode),
  );
}

/** Somebody has to decide: what happened, and the command that continues. */
function pauses({ brakes = [], campaign }: CampaignProgress): string[] {
  return brakes.map(({ service, code, message, times }) => {
    const command = verbatim(`hundredfold resume ${campaign} --service ${service}`);
    const reason = verbatim(`${code}: ${message}`, REASON_SHOWN);
    return `- **${service} is paused**: ${times} items failed for the same reason, ${reason}. ${command} continues.`;
  });
}

function countsTable({ ended, open, following, total }: CampaignProgress): string {
  const done = countEnded(ended);
  const counts: readonly (readonly [string, number])[] = [
    ...Object.entries(ended),
    ['open', open],
    ['share the job of another row', following],
    ['not started yet', Math.max(0, total - done - open - following)],
  ];
  const rows = counts.filter(([, n]) => n > 0);
  return table(
    [{ title: 'state' }, { title: 'items', numbers: true }],
    [...rows, ['**all**', `**${total}**`]],
  );
}

function codesTable(failuresByCode: Readonly<Record<string, number>>): string {
  const { shown, others } = largest(failuresByCode, CODES_SHOWN);
  return table(
    [{ title: 'failures by code' }, { title: 'items', numbers: true }],
    [
      ...shown.map(([code, n]) => [verbatim(code), n] as const),
      ...(others > 0 ? [['other codes', others] as const] : []),
    ],
  );
}

/** What is known before it starts, and shown even where no worker answers for its state. */
export function campaignAtStart(
  { name, store }: Pick<CampaignSpec, 'name' | 'store'>,
  manifests: readonly string[],
): string {
  return blocks(
    [
      `- manifests: ${manifests
        .slice(0, MANIFESTS_SHOWN)
        .map((file) => verbatim(file))
        .join(', ')}`,
      `- results: ${verbatim(store)}`,
    ].join('\n'),
    `Current state: see the current details, or run ${verbatim(`hundredfold status ${name}`)}.`,
  );
}

const MANIFESTS_SHOWN = 10;
