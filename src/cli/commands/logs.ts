/** `hundredfold logs NAME [ID]`: the worker's log of a campaign, and the history of one of its items. */
import { readLogs, type LogLine } from '../../runner/command-line.ts';
import type { Attempt } from '../../domain/campaign.ts';
import { EXIT } from '../../domain/errors.ts';
import { JOB_LOG } from '../../store/layout.ts';
import { loadCommandSettings, findTree, type TreeFlags } from '../session.ts';
import { say, logText, printDocument, printLine } from '../text/output.ts';

export async function logs(
  given: string | undefined,
  id: string | undefined,
  flags: TreeFlags,
): Promise<number> {
  const tree = await findTree(given, flags);
  const { name } = tree.campaign;
  // Those of its folder.
  const settings = loadCommandSettings(flags, { tokens: 'optional' });
  const { record, worker, engine } = await readLogs(tree, id ?? null, settings);
  const attempts = record?.attempts ?? [];
  if (flags.json) {
    printDocument({ campaign: name, id: id ?? null, attempts, worker, engine });
    return EXIT.ok;
  }
  for (const line of mergeInOrder(attempts, worker)) printLine(line);
  if (record?.error) printLine(`${record.state}: ${record.error.message} [${record.error.code}]`);
  if (engine !== null) printLine(`--- ${JOB_LOG} of the service ---\n${engine.trimEnd()}`);
  if (settings.temporal)
    say('Workers elsewhere write their own logs; their lines have campaign and item as fields.');
  else if (worker.length === 0 && record === null)
    say(`The worker logged no warning about ${name}.`);
  return EXIT.ok;
}

function mergeInOrder(attempts: readonly Attempt[], lines: readonly LogLine[]): string[] {
  const all = [
    ...attempts.map((attempt) => ({ at: attempt.at, text: formatAttempt(attempt) })),
    ...lines.map((line) => ({ at: line.time, text: logText(line) })),
  ];
  return all.sort((a, b) => a.at.localeCompare(b.at)).map(({ text }) => text);
}

function formatAttempt({ at, outcome, remoteId, message }: Attempt): string {
  return [at, outcome, remoteId ?? '', message ?? ''].filter(Boolean).join('  ');
}
