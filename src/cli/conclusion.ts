/** Follows a campaign to its end, an interruption, or until the user leaves: what is printed then, and the exit code. */
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { shortenWarning } from '../domain/item-ends.ts';
import { formatDuration } from '../domain/units.ts';
import {
  type CampaignDocument,
  type EndedCampaign,
  readEndedCampaign,
} from '../report/campaign-summary.ts';
import {
  type Campaign,
  listNotNotified,
  describeCampaign,
  findCampaign,
  readCampaignLine,
  type CampaignObservation,
  observe,
  openDocument,
  waitForAnswer,
} from '../runner/command-line.ts';
import { buildAddress, CAMPAIGN_SUMMARY, FAILED_TABLE, REPORT } from '../store/layout.ts';
import { openStore } from '../store/open-store.ts';
import { isTemporalAway } from '../temporal/grpc-status.ts';
import type { Interruption } from './interruption.ts';
import { formatCount, listFirst, buildUiLink, printDocument, say } from './terminal.ts';
import { follow, type FollowedTo } from './follow.ts';
import type { Flags } from './options.ts';

type FollowFlags = Pick<Flags, 'json' | 'detach' | 'command'>;

/** Of a campaign that was started by this command, or is watched. Returns the exit code. */
export async function followToEnd(
  campaign: Campaign,
  flags: FollowFlags,
  interruption: Interruption,
): Promise<number> {
  const { idle, joined } = campaign.begun;
  if (idle && !joined) return concludeEnded(campaign.out, flags, true);
  if (flags.detach) return detach(campaign, flags);
  // It may have ended before it is watched.
  const to: FollowedTo = idle ? { end: 'ended', last: null } : await follow(campaign, interruption);
  return conclude(campaign, to, flags);
}

/** Returns the exit code. */
export async function conclude(
  campaign: Campaign,
  { end, last }: FollowedTo,
  flags: FollowFlags,
): Promise<number> {
  const { name, session, begun, out } = campaign;
  if (end === 'detached') return detach(campaign, flags);
  if (end === 'interrupted') {
    if (flags.json && last) await printOpen(campaign, last);
    say(`${name} is safe on disk. To resume: ${flags.command ?? `hundredfold watch ${name}`}`);
    if (campaign.runsInBackground())
      say('  The background process continues it; `hundredfold stop` stops that process.');
    else if (session.role === 'joined') say('  The command that runs the server continues it.');
    else if (session.role === 'remote') say('  Other workers, if any are running, continue it.');
    return EXIT.interrupted;
  }
  const { items, done } = begun;
  const code = await concludeEnded(out, flags, items > 0 && items === done);
  // The last observation may be older than the end.
  for (const reason of await listNotNotified(session, name))
    say(`  notification of the end failed: ${reason}`);
  return code;
}

/** The command that runs the server may have been interrupted as well: this command has still succeeded. */
async function printOpen({ name, session }: Campaign, last: CampaignObservation): Promise<void> {
  const document = async () =>
    openDocument(session, await findCampaign(session.client, name), last);
  try {
    printDocument(await waitForAnswer(document()));
  } catch (error) {
    const silent = error instanceof HundredfoldError && error.code === 'TEMPORAL_SILENT';
    if (!silent && !isTemporalAway(error)) throw error;
    say(`Temporal does not answer: the state of ${name} is not printed.`);
  }
}

/**
 * For a campaign that has ended and is published. Returns the exit code.
 * @param idle every item had ended before the command started
 */
async function concludeEnded(
  folder: string,
  { json }: FollowFlags,
  idle: boolean,
): Promise<number> {
  const ended = await readEndedCampaign(await openStore(folder), folder);
  if (json) printDocument(ended.document);
  printEnd(ended, say, idle);
  return chooseExitCode(ended.document);
}

/** @throws HundredfoldError `HOST_NOT_READY` */
async function detach(campaign: Campaign, { json }: FollowFlags): Promise<number> {
  const { name, out, ui, session } = campaign;
  const { client, role } = session;
  if (json) {
    const found = await describeCampaign(client, name);
    const seen = await observe(session, { name, folder: out }, found);
    printDocument(await openDocument(session, readCampaignLine(found), seen));
  }
  if (role === 'host') say('Moving to the background: finishing submissions in progress.');
  await campaign.detach();
  if (role === 'remote') {
    say(`${name} has started; its output is in ${out}. It continues as long as a worker runs:`);
    say(`  hundredfold worker    starts one; hundredfold watch ${name}    shows progress.`);
  } else {
    say(`${name} runs in the background; its output is in ${out}.`);
    say(`  hundredfold watch ${name}    shows progress; hundredfold stop stops the server.`);
  }
  if (ui) say(`  All items in the Temporal UI: ${buildUiLink(ui, name)}`);
  return EXIT.ok;
}

/**
 * For users.
 * @param print gets each line; the default is stderr
 * @param idle every item had ended before this command started
 */
export function printEnd(
  { document, tookMs, damaged, warnings }: EndedCampaign,
  print: (line: string) => void = say,
  idle = false,
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
  for (const [code, n] of Object.entries(warnings))
    print(`  warning: ${formatCount(n, 'item')} with ${shortenWarning(code)}`);
  if (items.failed + items.held > 0)
    print(`  failures and reasons: ${buildAddress(out, FAILED_TABLE)}`);
  if (items.failed + items.held + items.cancelled > 0)
    print(`  run these items again: hundredfold retry ${campaign}`);
}

export function chooseExitCode({ state, items }: CampaignDocument): number {
  if (state === 'cancelled') return EXIT.cancelled;
  return items.succeeded === items.total ? EXIT.ok : EXIT.incomplete;
}

const MAX_DAMAGED_SHOWN = 3;

/** Files of the tree that are missing or differ from what was received. */
export function printDamaged(damaged: readonly string[], print = say): void {
  const countRest = (n: number) => `${n} more, in ${CAMPAIGN_SUMMARY}`;
  for (const line of listFirst(damaged, MAX_DAMAGED_SHOWN, countRest)) print(`  damaged: ${line}`);
}
