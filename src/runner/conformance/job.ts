/** One real job of a kind's example, at a double of the service: from its submission to a result that is believed. */
import { setTimeout as delay } from 'node:timers/promises';
import { collectBody } from '../../activities/download.ts';
import { runJudge } from '../../activities/take-result.ts';
import type { Options } from '../../domain/item.ts';
import type { Unavailable } from '../../domain/outcomes.ts';
import type { ResultFault } from '../../kinds/kind.ts';
import { findKind } from '../../kinds/registry.ts';
import type { ServiceClient } from '../../services/client.ts';
import { type Job, findMaxNameLength } from '../../services/service.ts';
import type { FaultCode, Watch } from './watch.ts';

/** What was done with the job, and what came of it. */
export interface JobStep {
  readonly kind: string;
  readonly what: string;
  readonly found: string;
  readonly fault: FaultCode | null;
}

type Say = (what: string, found: string, fault?: FaultCode | null) => void;

const { signal } = new AbortController();
/** Between two requests (ms), if the double does not ask for another wait. */
const PAUSE_MS = 250;
/** How often a double is asked that is busy or whose job runs, and one that says nothing of it. */
const [MAX_TRIES, MAX_DOUBTS] = [240, 8];

export async function tryJob(
  { service, report }: Pick<Watch, 'service' | 'report'>,
  job: Job,
  client: ServiceClient,
): Promise<readonly JobStep[]> {
  const steps: JobStep[] = [];
  const { kind } = job;
  const say: Say = (what, found, fault = null) => {
    steps.push({ kind, what, found, fault });
    if (fault !== null) report(fault, `job of ${kind}`, `${what}: ${found}`);
  };
  const submit = () =>
    repeatWhile(
      () => client.submit(job, { signal }),
      ({ type }) => type === 'notNow',
    );
  const { by } = service.identity;
  const fold = (id: string) => (service.jobId.ignoreCase ? id.toLowerCase() : id);

  const first = await submit();
  if (first.type !== 'accepted') {
    say('submitted', `${first.type}: ${first.message}`, 'JOB_FAILED');
    return steps;
  }
  const id = first.remoteId;
  say('submitted', `accepted as ${id}`);
  if (by === 'name' || by === 'request') {
    const again = await submit();
    const isAccepted = again.type === 'accepted';
    const isTrue = isAccepted
      ? fold(again.remoteId) === fold(id)
      : again.type === 'refused' && by === 'name';
    const words = isAccepted ? `accepted as ${again.remoteId}` : `${again.type}: ${again.message}`;
    say('submitted again', words, isTrue ? null : 'IDENTITY_FALSE');
  }
  if (!(await waitForEnd(client, id, say))) return steps;
  if (findMaxNameLength(service) !== null) {
    const found = await client.find(kind, job.name, { signal });
    const isFound = found.type === 'found' && fold(found.remoteId) === fold(id);
    say('looked up', found.type, isFound ? null : 'IDENTITY_FALSE');
  }
  await tryFiles(client, job, id, say);
  return steps;
}

/** Whether it has finished. */
async function waitForEnd(client: ServiceClient, id: string, say: Say): Promise<boolean> {
  let doubts = 0;
  const ended = await repeatWhile(
    () => client.poll(id, { signal }),
    ({ type }) =>
      !/finished|failed|deleted/.test(type) && (type === 'running' || ++doubts < MAX_DOUBTS),
  );
  const isFinished = ended.type === 'finished';
  const message = 'message' in ended ? `: ${ended.message}` : '';
  say('polled', ended.type + message, isFinished ? null : 'JOB_FAILED');
  return isFinished;
}

async function repeatWhile<T extends object>(
  ask: () => Promise<T>,
  isOpen: (seen: T) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const seen = await ask();
    if (tries >= MAX_TRIES || !isOpen(seen)) return seen;
    await delay((seen as { retryAfterMs?: number | null }).retryAfterMs ?? PAUSE_MS);
  }
}

async function tryFiles(client: ServiceClient, job: Job, id: string, say: Say): Promise<void> {
  const files: Record<string, readonly Buffer[]> = {};
  for (const name of client.artefacts(job.kind)) {
    const pages = await download(client, id, name, signal);
    const isRequired = findKind(job.kind).artefacts[name]?.presence === 'required';
    if (!('type' in pages)) files[name] = pages;
    else say(`file ${name}`, pages.type, isRequired ? 'JOB_FAILED' : null);
  }
  const refused = await judgeFiles(job, files, id);
  if (refused !== null) {
    say('its result', `refused: ${refused.code} ${refused.message}`, 'JOB_FAILED');
    return;
  }
  say('its result', 'believed');
  const [[name, pages] = ['', []]] = Object.entries(files);
  for (const [what, parts] of listDamaged(pages)) {
    const fault = await judgeFiles(job, { ...files, [name]: parts }, id);
    if (fault === null) say(what, 'believed', 'DAMAGE_BELIEVED');
    else say(what, `refused: ${fault.code}`);
  }
}

/** The pages of a result, as they must not be believed. */
function* listDamaged(pages: readonly Buffer[]): Generator<readonly [string, readonly Buffer[]]> {
  const [whole = Buffer.alloc(0), before] = [pages.at(-1), pages.slice(0, -1)];
  const cut = (n: number) => [...before, whole.subarray(0, (whole.length * n) >> 2)];
  yield ['an empty result', cut(0)];
  for (const n of [1, 2, 3]) yield [`${n}/4 of it`, cut(n)];
  const half = whole.length >> 1;
  yield ['zeros in it', [...before, Buffer.from(whole).fill(0, half, half + Math.min(half, 16))]];
  if (before.length > 0) yield ['without its last page', before];
}

type NoFile = { readonly type: 'absent' | 'too large' | 'cut off' } | Unavailable;

/** The pages of a file, mostly one; or why there is none. */
export async function download(
  client: ServiceClient,
  id: string,
  name: string,
  signal: AbortSignal,
): Promise<readonly Buffer[] | NoFile> {
  const pages: Buffer[] = [];
  for (let page = await client.fetch(id, name, { signal }); ;) {
    if (page.type === 'tooLarge') return { type: 'too large' };
    if (page.type !== 'found') return page;
    const whole = await collectBody(page, name).catch(() => null);
    if (whole === null) return { type: 'cut off' };
    whole.release();
    pages.push(whole.bytes);
    const next = page.nextPage?.(whole.bytes) ?? null;
    if (next === null) return pages;
    page = await next;
  }
}

/** Why a result is not believed; null if it is. */
export async function judgeFiles(
  { kind: name, options, input }: Job,
  files: Readonly<Record<string, readonly Buffer[]>>,
  remoteId: string,
): Promise<ResultFault | null> {
  const { artefacts, compare, judge: judgeAll } = findKind(name);
  const facts = { options: options as Options, input, remoteId, mayBeSynthetic: true };
  for (const [artefact, pages] of Object.entries(files))
    for (const page of pages) {
      const fault = await artefacts[artefact]?.check?.(page, facts);
      if (fault) return fault;
    }
  const texts = Object.entries(files).map(([one, pages]) => [one, pages.map(String)] as const);
  if (judgeAll === undefined) {
    const first = texts.map(([one, [text = '']]) => [one, text] as const);
    return compare?.(Object.fromEntries(first), { remoteId }) ?? null;
  }
  const judged = runJudge(judgeAll, Object.fromEntries(texts), facts);
  return 'fault' in judged ? judged.fault : null;
}
