/** The duration of the commands that read a finished campaign of 10,000 items, for the whole command. */
import { join } from 'node:path';
import { readItem, writeItem } from '../src/store/item-store.ts';
import { openFileStore } from '../src/store/filesystem.ts';
import { prepareCampaign } from '../src/store/prepare.ts';
import { takenIn } from '../test/taken-in.ts';
import { Bench, sequences } from './command.ts';

const FINISHED_AT = '2026-11-20T02:14:33.000Z';
/** One in this number of items has failed. */
const FAILED = 100;

export async function itemsOfTree(items: number): Promise<string> {
  const bench = await Bench.open();
  try {
    await layOut(bench, items);
    const help = await timed(bench, ['--help']);
    const all = await timed(bench, ['items', 'bench', '--json']);
    const failed = await timed(bench, ['items', 'bench', '--state', 'failed']);
    return `${items} items: all as JSON ${all.toFixed(2)} s, the failed ones for people ${failed.toFixed(2)} s; a command that does nothing takes ${help.toFixed(2)} s`;
  } finally {
    await bench.close();
  }
}

/** A tree as a campaign leaves it, without the files of the results. */
async function layOut(bench: Bench, count: number): Promise<void> {
  const { survey, spool } = await takenIn(await bench.manifest(sequences(count)));
  const store = await openFileStore(join(bench.folder, 'results', 'bench'));
  const campaign = { name: 'bench', manifestDigests: survey.digests, settings: {} };
  await prepareCampaign(store, campaign, survey.shares.assign(spool.items()));
  for (let n = 0; n < count; n += 1) {
    const record = await readItem(store, 'sequence', `seq-${n}`);
    if (!record) throw new Error(`seq-${n} was not laid out`);
    const failed = n % FAILED === 0;
    const error = failed ? { code: 'JOB_FAILED', message: 'the job failed' } : null;
    const state = failed ? 'failed' : 'succeeded';
    const ended = {
      ...record,
      state,
      error,
      remoteId: `job-${n}`,
      finishedAt: FINISHED_AT,
    } as const;
    await writeItem(store, ended, { durable: false });
  }
  spool.remove();
}

async function timed(bench: Bench, command: readonly string[]): Promise<number> {
  const startedAt = Date.now();
  const { code, stderr } = await bench.run(...command);
  if (code !== 0) throw new Error(stderr);
  return (Date.now() - startedAt) / 1_000;
}
