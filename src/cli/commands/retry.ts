/** `hundredfold retry`: runs items of a campaign that did not succeed again, in the same output tree. */
import { Command, Option } from 'commander';
import { retry as retryCampaign } from '../../runner/command-line.ts';
import type { RetrySurvey } from '../../store/reopen.ts';
import { followToEnd } from '../conclusion.ts';
import { findMeant } from '../session.ts';
import { Interruption } from '../interruption.ts';
import { formatCount, listFirst, say, logToTerminal } from '../terminal.ts';
import { call, detach, priority, treesThere, type Flags, createNameArgument } from '../options.ts';

const HELP = `
A job that was accepted before is polled first, which uses no slot. A new job is submitted only if the old one cannot
be used. A held molecule may already have a job at the service that cannot be found: it is submitted again and may
become a duplicate job. --failed leaves held items out.`;

export const commands = [
  new Command('retry')
    .description('run failed, held and cancelled items again, in the same output tree')
    .addArgument(createNameArgument('<name>'))
    .addOption(new Option('--failed', 'only failed items').conflicts('item'))
    .option('--item <id...>', 'only these items, unless they succeeded')
    .addOption(treesThere())
    .addOption(detach('return when it has started'))
    .addOption(priority())
    .addHelpText('after', HELP)
    .action(call(retry)),
];

const MAX_SHOWN = 20;

function sayWhatRuns(name: string, survey: RetrySurvey): void {
  const { chosen, states, ways, following, mayBeThere, open, unusable } = survey;
  const which = Object.entries(states).flatMap(([state, n]) => (n > 0 ? `${n} ${state}` : []));
  const count = (n: number): string => formatCount(n, 'item');
  if (chosen.size === 0)
    say(`${name}: nothing to retry: none of these items failed, is held or was cancelled.`);
  else say(`${name}: ${count(chosen.size)} run again (${which.join(', ')}).`);
  const asked = formatCount(ways.ask, 'former job is', 'former jobs are');
  const parts: readonly (readonly [number, ...string[]])[] = [
    [
      ways.ask,
      `${asked} polled first, which uses no slot. A new job is submitted only if`,
      'the service does not know the job, it failed, or its result is wrong again.',
    ],
    [following, `${count(following)} get the result of another item: no slot is used.`],
    [
      mayBeThere,
      `${count(mayBeThere)} may already have a job at the service that cannot be found.`,
      'They are submitted again, as you asked, and each may become a duplicate job.',
    ],
    [open, `${count(open)} had not ended and continue.`],
    [
      unusable.length,
      `${count(unusable.length)} cannot be run again from this tree and are left unchanged:`,
      ...listFirst(unusable, MAX_SHOWN, (n) => `And ${n} more.`).map((why) => `  ${why}`),
      'The "hundredfold run" command of this campaign restores what is missing.',
    ],
  ];
  for (const [n, ...lines] of parts) if (n > 0) for (const line of lines) say(`  ${line}`);
}

async function retry(name: string, flags: Flags): Promise<number> {
  const { item, ...others } = flags;
  const command = `hundredfold retry ${name}${item ? ` --item ${item.join(' ')}` : ''}${flags.failed ? ' --failed' : ''}`;
  const interruption = new Interruption();
  const meant = await findMeant(name, others);
  await using campaign = await retryCampaign(name, {
    ...meant.flags,
    ...logToTerminal(),
    ...(item && { items: item }),
    signal: interruption.signal,
    onNotice: say,
    onSurvey: (survey) => sayWhatRuns(name, survey),
  });
  return await followToEnd(campaign, { ...flags, command }, interruption);
}
