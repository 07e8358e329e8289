/**
 * What the Temporal UI shows of an item, in markdown. Pure.
 *
 * Current details are computed on request and cost no event, however often they change. Static details would be in the
 * history of every item and could not change; only the campaign has them.
 */
import type { Attempt, ItemEnd } from '../../domain/campaign.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { Options } from '../../domain/item.ts';
import type { Timing } from '../../domain/outcomes.ts';
import { sizeText } from '../../domain/size-text.ts';
import type { ItemState } from '../../domain/states.ts';
import type { ItemInput } from '../messages.ts';
import type { KeptFile } from '../activity-types.ts';
import { blocks, verbatim } from './markdown.ts';
import { utc } from './utc.ts';

export interface ItemStanding {
  readonly state: ItemState;
  /** null as long as it is open. */
  readonly end: ItemEnd | null;
  readonly remoteId: string | null;
  readonly attempts: readonly Attempt[];
  /** ISO 8601, UTC. */
  readonly submittedAt: string | null;
  readonly timing: Timing | null;
  readonly files: readonly KeptFile[];
}

/** The latest are the most useful; item.json has all of them, complete. */
const ATTEMPTS_SHOWN = 20;
/** Characters of the words of one attempt. */
const WORDS = 120;

/** @param now when the last thing happened to it, in ms since the epoch */
export function itemDetails(item: ItemInput, standing: ItemStanding, now: number): string {
  const { state, end, attempts } = standing;
  return blocks(
    `**${verbatim(item.id)}** (${item.kind}) of ${verbatim(item.campaign)}: **${state}**`,
    end?.code != null && `${verbatim(end.code)}: ${verbatim(end.message ?? '')}`,
    facts(item, standing, now).join('\n'),
    attempts.length > 0 && attemptsText(attempts),
  );
}

function facts({ reference, ...item }: ItemInput, standing: ItemStanding, now: number): string[] {
  const { remoteId, submittedAt, timing, files } = standing;
  return [
    ...(item.sends ? [`input: ${inputText(item.sends.input)}`] : []),
    ...(item.sends ? [`options: ${optionsText(item.sends.options)}`] : []),
    `service: ${reference.service} at ${verbatim(reference.address)}`,
    `job: ${remoteId === null ? 'none yet' : verbatim(remoteId)}`,
    ...(submittedAt === null ? [] : [`accepted: ${utc(Date.parse(submittedAt))}`]),
    ...(timing === null ? [] : [`timing: ${timingText(timing)}`]),
    ...(standing.end === null ? [] : [`ended: ${utc(now)}`]),
    `files: ${filesText(files)}, in ${verbatim(folderOf(item))}`,
  ].map((fact) => `- ${fact}`);
}

function folderOf({ store, sends, id }: Pick<ItemInput, 'store' | 'sends' | 'id'>): string {
  return sends?.folder ? `${store}/${sends.folder}/${id}` : store;
}

function inputText({ name, bytes, digest }: NonNullable<ItemInput['sends']>['input']): string {
  return `${verbatim(name)}, ${sizeText(bytes)}, SHA-256 ${verbatim(`${digest}…`)}`;
}

function optionsText({ kind: _, ...options }: Options): string {
  const words = Object.entries(options).map(([key, value]) => {
    const column = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return `${column} ${Array.isArray(value) ? value.join(', ') : String(value ?? 'automatic')}`;
  });
  return words.join(', ') || 'none to choose';
}

/** As reported by the service. */
function timingText({ queueWaitSeconds, elapsedSeconds, finishedAt }: Timing): string {
  const parts = [
    queueWaitSeconds !== null && `${seconds(queueWaitSeconds)} in the queue`,
    elapsedSeconds !== null && `${seconds(elapsedSeconds)} run`,
    finishedAt !== null && `finished ${timeText(finishedAt)}`,
  ];
  return parts.filter(Boolean).join(', ') || 'not reported by the service';
}

function timeText(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? verbatim(iso) : utc(at);
}

function seconds(length: number): string {
  return length < 10 ? `${Number(length.toFixed(1))} s` : formatDuration(length * 1_000);
}

function filesText(files: readonly KeptFile[]): string {
  if (files.length === 0) return 'none fetched';
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${files.length} fetched (${sizeText(bytes)})`;
}

function attemptsText(attempts: readonly Attempt[]): string {
  const shown = attempts.slice(-ATTEMPTS_SHOWN);
  const cut = shown.length < attempts.length;
  const title = cut ? `The last ${shown.length} of ${attempts.length} attempts` : 'Attempts';
  const lines = shown.map(({ at, outcome, message }) => {
    const words = message === undefined ? '' : `: ${verbatim(message, WORDS)}`;
    return `- ${utc(Date.parse(at))} ${outcome}${words}`;
  });
  return `${title}, oldest first:\n\n${lines.join('\n')}`;
}
