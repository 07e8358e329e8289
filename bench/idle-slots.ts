/**
 * How well a batch of molecules without a limit uses the service: the share of its engine slots that are idle between
 * the first job and the end of the last one. A slot is idle when the service has no job to run.
 */
import { Bench } from './command.ts';
import { drugLikeSmiles } from './drug-like.ts';

const SLOTS = 4;
const JOB_SECONDS = 3;

export async function idleSlots(items: number): Promise<string> {
  const bench = await Bench.open();
  try {
    await bench.serve(
      `--engine synthetic --concurrency ${SLOTS} --limit 0 --job-time ${JOB_SECONDS}s`.split(' '),
      'none',
    );
    const rows = drugLikeSmiles(items).map((smiles, n) => ({ id: `molecule-${n}`, smiles }));
    const { code, stderr } = await bench.run('run', await bench.manifest(rows));
    // Some of these molecules have atoms that the force field lacks: their jobs fail.
    if (code !== 0 && code !== 3) throw new Error(stderr);
    const jobs = await bench.jobTimes();
    const begun = Math.min(...jobs.map(({ startedAt }) => startedAt));
    const ended = Math.max(...jobs.map(({ finishedAt }) => finishedAt));
    const busy = jobs.reduce((sum, { startedAt, finishedAt }) => sum + finishedAt - startedAt, 0);
    // The last jobs leave slots idle whatever the client does.
    const bound = Math.ceil(jobs.length / SLOTS) * SLOTS - jobs.length;
    const share = 1 - busy / (SLOTS * (ended - begun));
    return `${jobs.length} molecules of ${JOB_SECONDS} s on ${SLOTS} slots: ${(100 * share).toFixed(1)} % of the slots idle, of which ${((100 * bound) / jobs.length).toFixed(1)} % cannot be avoided; ${((ended - begun) / 1_000).toFixed(1)} s from the first job to the last`;
  } finally {
    await bench.close();
  }
}
