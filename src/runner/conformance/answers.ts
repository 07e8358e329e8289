/** What a service definition makes of every kind of answer: asked through the real client, of a server that gives them. */
import { collectBody } from '../../activities/download.ts';
import { runJudge } from '../../activities/take-result.ts';
import type { Options } from '../../domain/campaign.ts';
import type { Unavailable } from '../../domain/outcomes.ts';
import type { ResultFault } from '../../kinds/kind.ts';
import { findKind } from '../../kinds/registry.ts';
import { resolveAnswers, findMeaning } from '../../services/answers.ts';
import { type ClientSettings, makeClient, type ServiceClient } from '../../services/client.ts';
import {
  type Answers,
  type Identity,
  type Job,
  findMaxNameLength,
} from '../../services/service.ts';
import { type Case, LISTS, NOTHING, OTHERS, ScriptedServer, TAKEN } from './scripted-server.ts';
import type { FaultCode, Watch } from './watch.ts';

/** A cell of the table. */
export interface Row {
  /** `submission`, `state`, `list`, or the result of which kind. */
  readonly step: string;
  readonly answer: string;
  /** What happens then. */
  readonly outcome: Outcome;
  /** How long it asks us to wait (ms). */
  readonly afterMs: number | null;
  /** The definition says so; else it is so for any service. */
  readonly isClaim: boolean;
  readonly fault: FaultCode | null;
}

/** One question: the client that asks it, of which job, and the answer that it gets. */
interface Asking extends Case {
  readonly watch: Watch;
  readonly server: ScriptedServer;
  readonly client: ServiceClient;
  readonly signal: AbortSignal;
  readonly job: Job;
}

interface Told {
  readonly outcome: Outcome;
  readonly afterMs?: number | null | undefined;
  readonly fault?: FaultCode | false | undefined;
  /** Of the fault. */
  readonly message?: string;
}

type Settings = Omit<ClientSettings, 'url'>;

/** Asks everything once. */
export async function tryAnswers(
  watch: Watch,
  jobs: readonly Job[],
  settings: Settings,
): Promise<readonly Row[]> {
  const { submit, poll, fetch, list } = watch.service;
  const [first] = jobs;
  if (first === undefined) return [];
  const trial = new Trial(watch, settings);
  const all = [...NOTHING, ...OTHERS];
  await trial.ask('submission', first, submit.answers, trySubmission, [...all, ...TAKEN]);
  await trial.ask('state', first, poll.answers, tryState, all);
  for (const job of jobs)
    await trial.ask(
      `result of ${job.kind}`,
      job,
      fetch[findFile(job)]?.answers ?? {},
      tryFile,
      all,
    );
  if (!('missing' in list) && findMaxNameLength(watch.service) !== null)
    await trial.ask('list', first, list.answers, tryList, [...all, ...LISTS]);
  return trial.rows;
}

class Trial {
  readonly rows: Row[] = [];
  readonly #watch: Watch;
  readonly #settings: Settings;

  constructor(watch: Watch, settings: Settings) {
    this.#watch = watch;
    this.#settings = settings;
  }

  /** @param answers of the definition */
  async ask(
    step: string,
    job: Job,
    answers: unknown,
    send: (asking: Asking) => Promise<Told>,
    cases: readonly Case[],
  ): Promise<void> {
    const watch = this.#watch;
    const table = resolveAnswers(answers as Answers<unknown, unknown>, this.#settings.config ?? {});
    const server = new ScriptedServer();
    const url = await server.listen();
    server.success = findSuccess(table);
    for (const one of cases) {
      const { script, words: answer } = one;
      const deadline = new AbortController();
      server.script = script;
      // As the deadline of the client does.
      server.whenSilent = () => deadline.abort(new DOMException('too late', 'TimeoutError'));
      const scripted = typeof script === 'string' ? 0 : script.status;
      const status = scripted === 200 ? server.success : scripted;
      const meaning = findMeaning(table, status);
      watch.said = typeof meaning === 'object' ? meaning : undefined;
      // Its connection breaks before there is a request.
      const address = script === 'reset before' ? url.replace('http:', 'https:') : url;
      const client = makeClient(watch.service, { ...this.#settings, url: address });
      const told = await send({ ...one, watch, server, client, job, signal: deadline.signal });
      await client.close();
      const { outcome, afterMs = null, message = `${answer} → ${outcome}` } = told;
      const fault = told.fault || findWrongMeaning(watch, step, status) || null;
      const isClaim = watch.said != null && outcome !== 'unsure';
      this.rows.push({ step, answer, outcome, afterMs, isClaim, fault });
      if (fault !== null) watch.report(fault, step, message);
    }
    await server.close();
  }
}

/** The status at which a definition reads what it is told. */
function findSuccess(table: Answers<unknown, unknown>): number {
  const read = Object.entries(table).find(
    ([status, meaning]) => /^2\d\d$/.test(status) && typeof meaning === 'function',
  );
  return 200 in table || read === undefined ? 200 : Number(read[0]);
}

function readOutcome({ said }: Watch): string | undefined {
  return (said as { type?: string } | null | undefined)?.type;
}

/** What a definition must not say of a status, whether or not the engine believes it. */
function findWrongMeaning(watch: Watch, step: string, status: number): FaultCode | false {
  const said = readOutcome(watch) ?? '';
  const isEnd = /failed|deleted|refused|nameTaken|absent/.test(said);
  if (status >= 500 && (isEnd || (said === 'notNow' && status !== 503))) return 'OUTAGE_BELIEVED';
  const isAccess = status === 401 || status === 403;
  const concernsUs = status === 429 || (isAccess && !step.startsWith('result'));
  return concernsUs && isEnd && 'ROW_BLAMED';
}

async function trySubmission({ watch, client, signal, job, words, tells }: Asking): Promise<Told> {
  const { by } = watch.service.identity;
  const outcome = await client.submit(job, { signal });
  const said = readOutcome(watch);
  const isEnd = /refused|nameTaken|notNow/.test(said ?? '');
  const isInvented = tells === 'nothing' && isEnd && 'NOTHING_BELIEVED';
  switch (outcome.type) {
    case 'accepted': {
      // A redirect may lead to a job, and an id may be a text alone.
      const mayBeId = words === '303 elsewhere' || words === '2xx, the text HELD';
      return { outcome: 'accepted', fault: !mayBeId && 'ID_FROM_NOTHING' };
    }
    case 'refused': {
      // The row would end although it has a job.
      const isLost =
        said === 'nameTaken'
          ? findMaxNameLength(watch.service) === null
          : tells === 'taken' && by === 'name' && said === 'refused';
      const fault = isInvented || (isLost && 'IDENTITY_FALSE');
      return { outcome: outcome.taken ? 'name taken' : 'refused', fault };
    }
    case 'notNow': {
      const { reason, retryAfterMs: afterMs } = outcome;
      const isRefusal = reason === 'blocked';
      return { outcome: isRefusal ? 'no access' : 'no job', afterMs, fault: isInvented };
    }
    case 'unsure':
      return { outcome: 'unsure' };
  }
}

async function tryState(asking: Asking): Promise<Told> {
  const { server, client, signal, tells } = asking;
  const id = 'job';
  const from = server.paths.length;
  const outcome = await client.poll(id, { signal });
  const fault = tells && 'NOTHING_BELIEVED';
  switch (outcome.type) {
    case 'finished': {
      if (!tells) return { outcome: 'finished' };
      // A result at the same address: the check of the file decides what the state does not.
      const file = await tryFile(asking);
      const isSame = new Set(server.paths.slice(from)).size === 1;
      return isSame ? { ...file, outcome: 'as result' } : { outcome: 'finished', fault };
    }
    case 'running':
    case 'deleted':
    case 'unknown':
      return { outcome: outcome.type, fault };
    case 'failed':
      return { outcome: 'failed', fault: tells !== 'error' && fault };
    case 'unavailable':
    case 'postponed':
      return wait(outcome);
  }
}

async function tryFile({ client, signal, job }: Asking): Promise<Told> {
  const id = 'job';
  const pages = await download(client, id, findFile(job), signal);
  if ('type' in pages) return pages.type === 'unavailable' ? wait(pages) : { outcome: pages.type };
  // The server gives the same for every file.
  const all = Object.keys(findKind(job.kind).artefacts).map((one) => [one, pages] as const);
  const refused = await judgeFiles(job, Object.fromEntries(all), id);
  if (refused === null) return { outcome: 'right', fault: 'DAMAGE_BELIEVED' };
  const { code, message } = refused;
  return { outcome: 'rejected', ...(code === 'PLUGIN_FAILED' && { fault: 'THROWS', message }) };
}

async function tryList({ watch, client, signal, job, words, tells }: Asking): Promise<Told> {
  const outcome = await client.find(job.kind, job.name, { signal });
  switch (outcome.type) {
    case 'absent': {
      // A service that accepts a name once refuses the second job.
      const isOther = watch.service.identity.by === 'list' && words !== '2xx, []';
      const isWrong = tells === 'jobs' || (tells && isOther);
      return { outcome: 'not listed', fault: isWrong && 'LIST_BELIEVED' };
    }
    case 'unavailable':
      return wait(outcome);
    case 'found':
      return { outcome: 'found', fault: 'ID_FROM_NOTHING' };
    case 'unsupported':
    case 'repeat':
      return { outcome: 'not known' };
  }
}

/** The result itself. */
function findFile({ kind }: Job): string {
  return Object.keys(findKind(kind).artefacts)[0] ?? '';
}

type NoFile = { readonly type: 'absent' | 'too large' | 'cut off' } | Unavailable;

/** The pages of a file, mostly one; or why there is none. */
async function download(
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

/** Why a result does not count as right; null if it does. */
async function judgeFiles(
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

function wait({
  retryAfterMs = null,
  refusesUs = false,
}: Partial<Omit<Unavailable, 'type'>>): Told {
  return { outcome: refusesUs ? 'no access' : 'again', afterMs: retryAfterMs };
}

const MEANINGS = {
  accepted: 'a job with this id',
  refused: 'certainly no job: the row fails as SUBMIT_REFUSED',
  'name taken': 'a job of this name exists: it is looked up',
  'no job': 'certainly none: all rows wait, as long as it asks, and one is tried',
  'no access': 'it refuses us, whatever the row: all wait, and one request is tried',
  unsure: 'perhaps a job',
  running: 'polled again',
  finished: 'its files are loaded',
  failed: 'the row fails as JOB_FAILED',
  deleted: 'the row fails as JOB_LOST',
  unknown: 'no such job: asked again for a while, then JOB_LOST',
  again: 'it says nothing: asked again later, and not before it says',
  'as result': 'the answer is the result itself, whose check decides',
  right: 'it counts as a right result',
  rejected: 'no right result: kept under rejected/, and the row fails',
  'cut off': 'loaded again',
  absent: 'no such file: asked again, then the row fails as RESULT_ABSENT',
  'too large': 'the row fails as RESULT_TOO_LARGE',
  found: 'the job of this name',
  'not listed': 'no job of this name: the row is sent again',
  'not known': 'whether there is a job: the row is held as SUBMIT_UNSURE',
} as const;

type Outcome = keyof typeof MEANINGS;

const UNSURE = {
  name: 'it is looked up by its name',
  list: 'it is looked up by its name',
  request: 'the same request is sent again',
  nothing: 'the row is held as SUBMIT_UNSURE',
} as const;

export function explain(outcome: Outcome, { by }: Identity): string {
  return outcome === 'unsure' ? `${MEANINGS.unsure}: ${UNSURE[by]}` : MEANINGS[outcome];
}
