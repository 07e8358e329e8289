/** `hundredfold retry`: runs items of a campaign that did not succeed again, in the same output tree. */
import { Command, Option } from 'commander';
import { checkName } from '../../domain/name.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { retry as retryCampaign } from '../../runner/index.ts';
import type { RetrySurvey } from '../../runner/command-line.ts';
import { followToEnd } from '../conclusion.ts';
import { findMeant } from '../session.ts';
import { Interruption } from '../interruption.ts';
import { say, logToTerminal } from '../terminal.ts';
import { call, detach, priority, treesThere, type GlobalFlags } from '../options.ts';

const HELP = `
A job that was accepted before is polled first, which uses no slot. A new job is submitted only if the old one cannot
be used. A held molecule may already have a job at the service that cannot be found: it is submitted again and may
become a duplicate job. --failed leaves held items out.`;

export const commands = [
  new Command('retry')
    .description('run failed, held and cancelled items again, in the same output tree')
    .argument('<name>', '', checkName)
    .addOption(new Option('--failed', 'only failed items').conflicts('item'))
    .option('--item <id...>', 'only these items, unless they succeeded')
    .addOption(treesThere())
    .addOption(detach('return when it has started'))
    .addOption(priority())
    .addHelpText('after', HELP)
    .action(call(retry)),
];

/** A longer list is not useful on a screen. */
const MAX_SHOWN = 20;

function sayWhatRuns(name: string, survey: RetrySurvey): void {
  const { chosen, states, ways, following, mayBeThere, open, unusable } = survey;
  const kinds = Object.entries(states).filter(([, n]) => n > 0);
  const which = kinds.map(([state, n]) => `${n} ${state}`).join(', ');
  if (chosen.size === 0)
    say(`${name}: nothing to retry: none of these items failed, is held or was cancelled.`);
  else say(`${name}: ${formatItemCount(chosen.size)} run again (${which}).`);
  if (ways.ask > 0) {
    say(
      `  ${formatJobCount(ways.ask)} polled first, which uses no slot. A new job is submitted only if`,
    );
    say('  the service does not know the job, it failed, or its result is wrong again.');
  }
  if (following > 0)
    say(`  ${formatItemCount(following)} get the result of another item: no slot is used.`);
  if (mayBeThere > 0) {
    say(
      `  ${formatItemCount(mayBeThere)} may already have a job at the service that cannot be found.`,
    );
    say('  They are submitted again, as you asked, and each may become a duplicate job.');
  }
  if (open > 0) say(`  ${formatItemCount(open)} had not ended and continue.`);
  if (unusable.length === 0) return;
  say(
    `  ${formatItemCount(unusable.length)} cannot be run again from this tree and are left unchanged:`,
  );
  for (const why of unusable.slice(0, MAX_SHOWN)) say(`    ${why}`);
  if (unusable.length > MAX_SHOWN) say(`    And ${unusable.length - MAX_SHOWN} more.`);
  say('  The "hundredfold run" command of this campaign restores what is missing.');
}

function formatJobCount(n: number): string {
  return n === 1 ? '1 former job is' : `${n} former jobs are`;
}

function formatItemCount(n: number): string {
  return n === 1 ? '1 item' : `${n} items`;
}

interface RetryFlags extends GlobalFlags {
  readonly priority?: number;
  readonly failed?: boolean;
  readonly item?: readonly string[];
  readonly out?: string;
  readonly detach?: boolean;
}

async function retry(name: string, flags: RetryFlags): Promise<number> {
  const { item, ...others } = flags;
  const again = `hundredfold retry ${name}${item ? ` --item ${item.join(' ')}` : ''}${flags.failed ? ' --failed' : ''}`;
  const interruption = new Interruption();
  try {
    const meant = await findMeant(name, others);
    await using campaign = await retryCampaign(name, {
      ...meant.flags,
      ...logToTerminal(),
      ...(item && { items: item }),
      signal: interruption.signal,
      onNotice: say,
      onSurvey: (survey) => sayWhatRuns(name, survey),
    });
    return await followToEnd(campaign, { ...flags, again }, interruption);
  } catch (error) {
    if (!(error instanceof HundredfoldError) || error.code !== 'INTERRUPTED') throw error;
    return EXIT.interrupted;
  }
}
