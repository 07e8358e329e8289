/**
 * A campaign named `night` in which something of everything has happened, for looks at it in the Temporal UI:
 *
 *   seq-0     succeeded                      caffeine  failed, JOB_FAILED
 *   seq-1     running, polled again          benzene   failed, SUBMIT_REFUSED, in hostile words
 *   seq-2     failed, RESULT_EMPTY           ethane    held, SUBMIT_UNSURE
 *   seq-3…4   waiting, without a workflow: three slots an hour
 */
import { vi } from 'vitest';
import { progressOf, Rig, sequences, type Started } from '../rig.ts';
import { GoBetween, type Seen } from '../workflows/go-between.ts';

/** A possible message of a service: each part would have an effect if markdown was rendered unescaped. */
export const HOSTILE =
  '</code><img src=x onerror="document.title=1"> [a](javascript:alert(1)) https://evil.example | ``` # *b* |';

export interface Night extends Started {
  readonly rig: Rig;
  /** The job of each sequence. */
  readonly jobs: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

const READY = '1,3,1,3,true';

const MOLECULES = [
  { id: 'caffeine', smiles: 'Cn1cnc2c1c(=O)n(C)c(=O)n2C' },
  { id: 'benzene', smiles: 'c1ccccc1' },
  { id: 'ethane', smiles: 'CC' },
];

export async function openNight(): Promise<Night> {
  const rig = await Rig.open({
    engine: 'synthetic',
    jobMs: 20,
    concurrency: 0,
    limit: 3,
    windowMs: 3_600_000,
    watchEveryMs: 500,
    faults: [{ name: 'fail', service: 'molecules' }],
    policy: { deadlineMs: 3_600_000 },
  });
  const between = await GoBetween.open(rig.services.url);
  const jobs = new Map<string, string>();
  stage(between, jobs);
  await rig.stopWorker();
  const through = (url: string) => url.replace(rig.services.url, between.url);
  await rig.startWorker(rig.settings.map((one) => ({ ...one, url: through(one.url) })));
  const started = await rig.start([...MOLECULES, ...sequences(5)], 'night');
  const close = async () => {
    await started.handle.terminate();
    await rig.close();
    await between.close();
  };
  // All that can end has ended, and the endless job runs.
  const isReady = async (): Promise<boolean> => {
    const { ended, open } = await progressOf(started.handle);
    return [ended.succeeded, ended.failed, ended.held, open, jobs.has('seq-1')].join() === READY;
  };
  await vi.waitUntil(isReady, { timeout: 60_000, interval: 200 });
  return { ...started, rig, jobs, close };
}

function stage(between: GoBetween, jobs: Map<string, string>): void {
  between.rule = ({ method, body }) => {
    if (method !== 'POST') return null;
    if (body.includes('c1ccccc1')) return { status: 400, body: { detail: HOSTILE } };
    // Sent, with an unknown outcome.
    if (/"CC"|\nCC\s/.test(body)) return { status: 200, cut: 'whole' };
    return null;
  };
  between.rewrite = (request, answer) => {
    const id = /night\.(seq-\d)\./.exec(request.body)?.[1];
    if (id) jobs.set(id, (JSON.parse(answer.body) as { request_id: string }).request_id);
    if (isAbout(request, jobs.get('seq-1')) && answer.status === 200) return { status: 202 };
    if (isAbout(request, jobs.get('seq-2')) && answer.status === 200)
      return { ...answer, body: '{}' };
    return answer;
  };
}

function isAbout({ method, path }: Seen, job: string | undefined): boolean {
  return method === 'GET' && job !== undefined && path.includes(job);
}
