/** What a service definition makes of every kind of answer: asked through the real client, of a server that gives them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  type ServiceConfig,
  findMaxNameLength,
} from '../../services/service.ts';
import type { FaultCode, Watch } from './watch.ts';

interface Case {
  readonly words: string;
  /** 200: that at which the definition reads answers, which is another one for some. */
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `nothing`: of no job, and of no state of one. `error`: of no success. `jobs`, without names. `taken`: the name. */
  readonly tells?: 'nothing' | 'error' | 'jobs' | 'taken';
}

const PAGE = '<!doctype html><html><head><title>Maintenance</title></head><body>Soon</body></html>';
const UNKNOWN_WORD =
  '{"status":"HELD","state":"HELD","jobStatus":"HELD","job_status":"HELD","phase":"HELD"}';
const NAMELESS =
  '[{"id":"a1b2c3d4","request_id":"a1b2c3d4","job_id":"a1b2c3d4","jobId":"a1b2c3d4","state":"DONE"}]';
const HTML = { 'content-type': 'text/html' };

const NOTHING: readonly Case[] = [
  createSuccess('empty', ''),
  createSuccess('{}', '{}'),
  createSuccess('[]', '[]'),
  createSuccess('an unknown word', UNKNOWN_WORD),
  { ...createSuccess('the text HELD', 'HELD'), headers: { 'content-type': 'text/plain' } },
  createSuccess('{"error": …}', '{"error":"Something went wrong"}', 'error'),
  { ...createSuccess('a web page', PAGE), headers: HTML },
];

const LISTS: readonly Case[] = [
  createSuccess('nameless jobs', NAMELESS, 'jobs'),
  createSuccess('{"jobs": them}', `{"jobs":${NAMELESS}}`, 'jobs'),
];

const TAKEN: readonly Case[] = [400, 409].map((status) => ({
  words: `${status}, name in use`,
  status,
  body: '{"error":"A job with this job name already exists"}',
  tells: 'taken',
}));

const OTHERS: readonly Case[] = [
  { words: '202, {}', status: 202, body: '{}' },
  { words: '204', status: 204 },
  { words: '303 elsewhere', status: 303, headers: { location: '/elsewhere/' } },
  ...[400, 401, 403, 404, 409, 422, 429].map((status) => createRefusal(status)),
  createRefusal(429, '20'),
  createRefusal(500),
  { words: '502, a web page', status: 502, body: PAGE, headers: HTML },
  createRefusal(503),
  createRefusal(503, '20'),
  createRefusal(504),
];

function createSuccess(words: string, body: string, tells: Case['tells'] = 'nothing'): Case {
  return { words: `2xx, ${words}`, status: 200, body, tells };
}

function createRefusal(status: number, after?: string): Case {
  const body = `{"error":"refused (${status})"}`;
  if (after === undefined) return { words: String(status), status, body };
  return {
    words: `${status}, Retry-After ${after}`,
    status,
    body,
    headers: { 'retry-after': after },
  };
}

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

/** One question, and what its answer tells. */
interface Asking extends Pick<Case, 'words' | 'tells'> {
  readonly watch: Watch;
  readonly config: ServiceConfig;
  readonly client: ServiceClient;
  readonly job: Job;
}

interface Told {
  readonly outcome: Outcome;
  readonly afterMs?: number | null | undefined;
  readonly fault?: FaultCode | false | undefined;
  /** Of the fault. */
  readonly message?: string;
}

/** A request of a definition, and how its answer is judged. */
interface Step {
  readonly name: string;
  readonly job: Job;
  /** Of the definition. */
  readonly answers: unknown;
  readonly ask: (asking: Asking) => Promise<Told>;
  readonly cases: readonly Case[];
}

interface Settings extends Pick<ClientSettings, 'secrets'> {
  readonly config: ServiceConfig;
}

/** Asks everything once. */
export async function tryAnswers(
  watch: Watch,
  jobs: readonly Job[],
  settings: Settings,
): Promise<readonly Row[]> {
  const { submit, poll, fetch, list } = watch.service;
  const [job] = jobs;
  if (job === undefined) return [];
  const cases = [...NOTHING, ...OTHERS];
  const steps: Step[] = [
    { name: 'submission', job, ...submit, ask: trySubmission, cases: [...cases, ...TAKEN] },
    { name: 'state', job, ...poll, ask: tryState, cases },
    ...jobs.map((one) => {
      const { answers = {} } = fetch[findResult(one)] ?? {};
      return { name: `result of ${one.kind}`, job: one, answers, ask: tryResult, cases };
    }),
  ];
  if (!('missing' in list) && findMaxNameLength(watch.service) !== null)
    steps.push({ name: 'list', job, ...list, ask: tryList, cases: [...cases, ...LISTS] });
  const rows: Row[] = [];
  for (const step of steps) rows.push(...(await tryStep(watch, step, settings)));
  return rows;
}

async function tryStep(watch: Watch, step: Step, settings: Settings): Promise<readonly Row[]> {
  const { name, job, ask } = step;
  const answers = step.answers as Answers<unknown, unknown>;
  const table = resolveAnswers(answers, settings.config);
  let present = { status: 200, body: '', headers: {} };
  const server = createServer((request, response) => {
    const { status, body, headers } = present;
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rows: Row[] = [];
  for (const { words, tells, body = '', headers, ...one } of step.cases) {
    const status = one.status === 200 ? findSuccess(table) : one.status;
    present = { status, body, headers: { 'content-type': 'application/json', ...headers } };
    const meaning = findMeaning(table, status);
    watch.said = typeof meaning === 'object' ? meaning : undefined;
    const client = makeClient(watch.service, { ...settings, url });
    const told = await ask({ watch, ...settings, client, job, words, ...(tells && { tells }) });
    await client.close();
    const { outcome, afterMs = null, message = `${words} → ${outcome}` } = told;
    const fault = told.fault || findWrongMeaning(watch, name, status) || null;
    const isClaim = watch.said != null && outcome !== 'unsure';
    rows.push({ step: name, answer: words, outcome, afterMs, isClaim, fault });
    if (fault !== null) watch.report(fault, name, message);
  }
  server.closeAllConnections();
  server.close();
  return rows;
}

/** The status at which a definition reads what it is told. */
function findSuccess(table: Answers<unknown, unknown>): number {
  const read = Object.entries(table).find(
    ([status, meaning]) => /^2\d\d$/.test(status) && typeof meaning === 'function',
  );
  return 200 in table || read === undefined ? 200 : Number(read[0]);
}

function readOutcome({ said }: Watch): string {
  return (said as { type?: string } | null | undefined)?.type ?? '';
}

/** What a definition must not say of a status, whether or not the engine believes it. */
function findWrongMeaning(watch: Watch, step: string, status: number): FaultCode | false {
  const said = readOutcome(watch);
  const isEnd = /failed|deleted|refused|nameTaken|absent/.test(said);
  if (status >= 500 && (isEnd || (said === 'notNow' && status !== 503))) return 'OUTAGE_BELIEVED';
  const isAccess = status === 401 || status === 403;
  const concernsUs = status === 429 || (isAccess && !step.startsWith('result'));
  return concernsUs && isEnd && 'ROW_BLAMED';
}

const { signal } = new AbortController();
const ID = 'a-job-id';

async function trySubmission({ watch, client, job, words, tells }: Asking): Promise<Told> {
  const { by } = watch.service.identity;
  const outcome = await client.submit(job, { signal });
  const said = readOutcome(watch);
  const isInvented =
    tells === 'nothing' && /refused|nameTaken|notNow/.test(said) && 'NOTHING_BELIEVED';
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
      const isRefusal = outcome.reason === 'blocked';
      const afterMs = outcome.retryAfterMs;
      return { outcome: isRefusal ? 'no access' : 'no job', afterMs, fault: isInvented };
    }
    case 'unsure':
      return { outcome: 'unsure' };
  }
}

async function tryState(asking: Asking): Promise<Told> {
  const { watch, config, client, job, tells } = asking;
  const outcome = await client.poll(ID, { signal });
  const { type } = outcome;
  if (type === 'unavailable' || type === 'postponed') return describeWait(outcome);
  if (!tells || (type === 'failed' && tells === 'error')) return { outcome: type };
  const { poll, fetch } = watch.service;
  const state = JSON.stringify(poll.request(ID, config));
  const isResult = state === JSON.stringify(fetch[findResult(job)]?.request(ID, config));
  if (type !== 'finished' || !isResult) return { outcome: type, fault: 'NOTHING_BELIEVED' };
  // A result at the address of the state: the check of the file decides what the state does not.
  return { ...(await tryResult(asking)), outcome: 'as result' };
}

async function tryResult({ client, job }: Asking): Promise<Told> {
  const name = findResult(job);
  const page = await client.fetch(ID, name, { signal });
  if (page.type === 'unavailable') return describeWait(page);
  // None of the answers is too long.
  if (page.type !== 'found') return { outcome: 'absent' };
  const { bytes } = await collectBody(page, name);
  // Whatever it says of a further page: what it is read from is watched.
  await page.nextPage?.(bytes);
  const refused = await judgeFile(job, bytes);
  if (refused === null) return { outcome: 'right', fault: 'DAMAGE_BELIEVED' };
  const { code, message } = refused;
  return { outcome: 'rejected', ...(code === 'PLUGIN_FAILED' && { fault: 'THROWS', message }) };
}

/** Why a result does not count as right that has these bytes in place of each file; null if it does. */
async function judgeFile(
  { kind, options, input }: Job,
  bytes: Buffer,
): Promise<ResultFault | null> {
  const { artefacts, compare, judge } = findKind(kind);
  const facts = { options: options as Options, input, remoteId: ID, mayBeSynthetic: true };
  for (const { check } of Object.values(artefacts)) {
    const fault = await check?.(bytes, facts);
    if (fault) return fault;
  }
  const fill = <T>(file: T) => Object.fromEntries(Object.keys(artefacts).map((one) => [one, file]));
  if (judge === undefined) return compare?.(fill(String(bytes)), facts) ?? null;
  const judged = runJudge(judge, fill([String(bytes)]), facts);
  return 'fault' in judged ? judged.fault : null;
}

async function tryList({ watch, client, job, words, tells }: Asking): Promise<Told> {
  const outcome = await client.find(job.kind, job.name, { signal });
  if (outcome.type === 'unavailable') return describeWait(outcome);
  if (outcome.type === 'found') return { outcome: 'found', fault: 'ID_FROM_NOTHING' };
  if (outcome.type !== 'absent') return { outcome: 'not known' };
  // A service that accepts a name once refuses the second job.
  const isOther = watch.service.identity.by === 'list' && words !== '2xx, []';
  const isWrong = tells === 'jobs' || (tells && isOther);
  return { outcome: 'not listed', fault: isWrong && 'LIST_BELIEVED' };
}

/** The result itself is the first file. */
function findResult({ kind }: Job): string {
  return Object.keys(findKind(kind).artefacts)[0] ?? '';
}

function describeWait({
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
  absent: 'no such file: asked again, then the row fails as RESULT_ABSENT',
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
