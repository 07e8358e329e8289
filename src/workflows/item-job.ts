/** The job of an item at the service: asked after until it has ended, and its files fetched. */
import { fetchArtefact, poll } from './activity-options.ts';
import { summary } from './details/summaries.ts';
import { Ended } from './item-end.ts';
import type { ItemProgress } from './item-progress.ts';
import type { PollResult, RemoteJob } from './verbs.ts';

/** @throws Ended when the job brings no good result */
export async function takeResult(job: RemoteJob, progress: ItemProgress): Promise<void> {
  await download(job, await awaitEnd(job, progress), progress);
}

type Finished = Extract<PollResult, { readonly type: 'finished' }>;

async function awaitEnd(job: RemoteJob, progress: ItemProgress): Promise<Finished> {
  const question = { summary: summary(`whether job ${job.remoteId} has ended`) };
  const result = await poll.executeWithOptions(question, [job, progress.input.policy]);
  if (result.type === 'finished') return result;
  progress.timing = result.timing;
  throw new Ended('failed', result.code, result.message);
}

/** At once and side by side: the service deletes results, and each file is checked by itself. */
async function download(
  job: RemoteJob,
  { artefacts }: Finished,
  progress: ItemProgress,
): Promise<void> {
  const fetched = await Promise.all(
    artefacts.map((artefact) =>
      fetchArtefact.executeWithOptions({ summary: `download its ${artefact}` }, [
        job,
        artefact,
        progress.input.policy,
      ]),
    ),
  );
  for (const one of fetched) progress.keep(one);
  const bad = fetched.find(({ problem }) => problem !== null)?.problem;
  if (bad) throw new Ended('failed', bad.code, bad.message);
}
