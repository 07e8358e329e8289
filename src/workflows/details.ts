/**
 * What the Temporal UI shows of campaigns and items, in markdown, and of activities and timers, in a line. Pure. That of a
 * budget is its memo, and what `hundredfold status` makes of it.
 *
 * Current details are computed on request and cost no event, however often they change. Static details would be in the
 * history of every item and could not change; only the campaign has them.
 */
import type { Grant } from '../budget/budget.ts';
import {
  describeFirst,
  findServiceOfLane,
  type CampaignProgress,
  type CampaignSpec,
  type ItemEnd,
  countEnded,
} from '../domain/campaign.ts';
import type { ItemInput } from './messages.ts';
import type { Hold } from '../budget/block.ts';

/** No text is longer, in characters: what the Temporal UI takes ends at 20 kB, and a line should be read at a glance. */
const MAX_TEXT = 300;
/** Characters of why a service is paused. */
const MAX_REASON = 500;
const MAX_CODES = 20;
const MAX_MANIFESTS = 10;
/** The server takes 400 bytes of a summary; a character is at most four of them. */
const MAX_SUMMARY = 90;

/** @param startedAt ms since the epoch */
export function formatCampaignDetails(
  progress: CampaignProgress,
  startedAt: number,
  store: string,
): string {
  const { campaign, state, failuresByCode, first = [] } = progress;
  return joinBlocks(
    `**${formatVerbatim(campaign)}**: **${state}**`,
    list([
      `${progress.startsAt === undefined ? 'started' : 'starts'}: ${formatUtc(progress.startsAt ?? startedAt)}`,
      `results: ${formatVerbatim(store)}`,
      ...formatPauses(progress),
      ...first.map(describeFirst),
    ]),
    formatCounts(progress),
    Object.keys(failuresByCode).length > 0 && formatCodes(failuresByCode),
  );
}

/** Somebody has to decide: what happened, and the command that continues. */
function formatPauses({ pausedServices = [], campaign }: CampaignProgress): string[] {
  return pausedServices.map(({ service, code, message, times }) => {
    const typed = findServiceOfLane(service);
    const command = formatVerbatim(`hundredfold resume ${campaign} --service ${typed}`);
    const reason = formatVerbatim(`${code}: ${message}`, MAX_REASON);
    const failed = times === undefined ? '' : `${times} items failed for the same reason, `;
    return `**${service} is paused**: ${failed}${reason}. ${command} continues.`;
  });
}

function formatCounts({ ended, open, following, total }: CampaignProgress): string {
  const counts: readonly (readonly [string, number])[] = [
    ...Object.entries(ended),
    ['open', open],
    ['share the job of another row', following],
    ['not started yet', Math.max(0, total - countEnded(ended) - open - following)],
  ];
  const words = counts.filter(([, n]) => n > 0).map(([state, n]) => `${n} ${state}`);
  return `**${total} items**: ${words.join(', ')}`;
}

/** The most frequent first, and all others in one. */
function formatCodes(failuresByCode: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(failuresByCode).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const words = sorted.slice(0, MAX_CODES).map(([code, n]) => `${n} ${formatVerbatim(code)}`);
  const others = sorted.slice(MAX_CODES).reduce((sum, [, n]) => sum + n, 0);
  return `Failures: ${[...words, ...(others > 0 ? [`${others} other codes`] : [])].join(', ')}`;
}

/** What is known before it starts, and shown even where no worker answers for its state. */
export function formatCampaignAtStart(
  { name, store }: Pick<CampaignSpec, 'name' | 'store'>,
  manifests: readonly string[],
): string {
  const files = manifests.slice(0, MAX_MANIFESTS).map((file) => formatVerbatim(file));
  return joinBlocks(
    list([`manifests: ${files.join(', ')}`, `results: ${formatVerbatim(store)}`]),
    `Current state: see the current details, or run ${formatVerbatim(`hundredfold status ${name}`)}.`,
  );
}

export interface ItemView {
  /** null as long as it is open. */
  readonly end: ItemEnd | null;
  readonly remoteId: string | null;
  /** ISO 8601, UTC. */
  readonly submittedAt: string | null;
}

/** @param now when the last thing happened to it, in ms since the epoch */
export function formatItemDetails(item: ItemInput, view: ItemView, now: number): string {
  const { reference, store } = item;
  const { end, remoteId, submittedAt } = view;
  const state = end?.state ?? 'running';
  return joinBlocks(
    `**${formatVerbatim(item.id)}** (${item.kind}) of ${formatVerbatim(item.campaign)}: **${state}**`,
    end?.code != null && `${formatVerbatim(end.code)}: ${formatVerbatim(end.message ?? '')}`,
    list([
      `service: ${reference.service} at ${formatVerbatim(reference.address)}`,
      `job: ${remoteId === null ? 'none yet' : formatVerbatim(remoteId)}`,
      ...(submittedAt === null ? [] : [`accepted: ${formatUtc(Date.parse(submittedAt))}`]),
      ...(end === null ? [] : [`ended: ${formatUtc(now)}`]),
      `results: ${formatVerbatim(store)}`,
    ]),
  );
}

/** What the time line says of an activity or a timer, beside its name. No markdown there: a text is shown as it is. */
export function formatSummary(text: string): string {
  return toOneLine(text, MAX_SUMMARY);
}

/** @param now ms since the epoch */
export function submitSummary({ request, notBefore }: Grant, now: number): string {
  const { job, campaign, attempt } = request;
  const again = attempt === 0 ? '' : `, submission ${attempt + 1}`;
  // Given out ahead of time, it is sent when its slot is free.
  const slot = notBefore > now ? `, slot frees ${formatClock(notBefore, now)}` : '';
  return formatSummary(`${job.kind} ${job.id} of ${campaign}${again}${slot}`);
}

export function endSummary({ state, code }: ItemEnd): string {
  return formatSummary(`${state}${code === null ? '' : `, ${code}`}: into item.json`);
}

/**
 * A text that is not ours, as code: in there markdown knows no links, pictures or HTML, not even an address that it
 * would make a link of by itself. On one line.
 */
export function formatVerbatim(text: string, longest = MAX_TEXT): string {
  const line = toOneLine(text, longest);
  if (line === '') return '—';
  // A fence is longer than any that the text has, and apart from it.
  const longestRun = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  const gap = longestRun > 0 ? ' ' : '';
  return `${fence}${gap}${line}${gap}${fence}`;
}

/** Line ends, other control characters, and those that turn the direction of writing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Without line ends, and cut by whole characters: half of a pair is none. */
export function toOneLine(text: string, longest = MAX_TEXT): string {
  const line = text.replaceAll(UNSEEN, ' ').trim();
  const characters = [...line];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line;
}

/** Blocks that are there, with a blank line between. */
function joinBlocks(...parts: readonly (string | null | false)[]): string {
  return parts.filter(Boolean).join('\n\n');
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** `22 Nov 02:14:33 UTC`, of ms since the epoch: a workflow knows no other time zone. With the day: it may be read on another. */
function formatUtc(at: number): string {
  return new Date(at).toUTCString().replace(/^\w+, 0?(\d+ \w+) \d+ ([\d:]+) GMT$/, '$1 $2 UTC');
}

/** `02:14:33 UTC`, where what it stands beside has a date; with the day when it is not the same as that of `now`. */
export function formatClock(at: number, now: number): string {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  return day(at) === day(now) ? formatUtc(at).replace(/^\d+ \w+ /, '') : formatUtc(at);
}

/** What the timer of a budget waits for. `at`, in ms: when it is over. */
export function formatTimerSummary({ until, reason }: Hold, at: number, now: number): string {
  if (until !== at) return `slot frees ${formatClock(at, now)}`;
  return formatSummary(`next try ${formatClock(at, now)}: ${reason}`);
}
