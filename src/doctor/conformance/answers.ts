/** What a service definition makes of every kind of answer: asked through the real client, of a server that gives them. */
import type { Options } from '../../domain/item.ts';
import type { FetchOutcome } from '../../domain/outcomes.ts';
import { formatDuration } from '../../domain/duration.ts';
import { kindOf } from '../../kinds/registry.ts';
import { answersFor, findMeaning } from '../../services/answers.ts';
import { makeClient, type ClientSettings, type ServiceClient } from '../../services/client.ts';
import type { Answers, Job, ServiceConfig } from '../../services/service.ts';
import { LISTS, NOTHING, OTHERS, ScriptedServer, TAKEN, type Case } from './scripted-server.ts';
import type { FaultCode, Watch } from './watch.ts';

/** A line of the table. */
export interface Row {
  readonly step: 'submission' | 'state' | 'file' | 'list';
  readonly answer: string;
  /** What happens then. */
  readonly outcome: string;
  /** The definition says so; else it is so for any service. */
  readonly isClaim: boolean;
  readonly fault: FaultCode | null;
}

/** ms; a download has ten times as long. */
const SHORT_DEADLINE_MS = 300;

interface Told {
  readonly words: string;
  readonly fault?: FaultCode | false | undefined;
}

/** Asks everything once. */
export async function tryAnswers(
  watch: Watch,
  jobs: readonly Job[],
  settings: Omit<ClientSettings, 'url'>,
): Promise<readonly Row[]> {
  const server = new ScriptedServer();
  const url = await server.listen();
  const nobody = new ScriptedServer();
  const closed = await nobody.listen();
  await nobody.close();
  const clients = {
    usual: makeClient(watch.service, { ...settings, url }),
    nobody: makeClient(watch.service, { ...settings, url: closed }),
    silent: makeClient(watch.service, { ...settings, url, deadlineMs: SHORT_DEADLINE_MS }),
  };
  const trial = new Trial(watch, server, clients, settings.config ?? {});
  try {
    return await trial.run(jobs);
  } finally {
    await Promise.all([...Object.values(clients).map((client) => client.close()), server.close()]);
  }
}

interface Clients {
  readonly usual: ServiceClient;
  readonly nobody: ServiceClient;
  readonly silent: ServiceClient;
}

const signal = new AbortController().signal;

class Trial {
  readonly #watch: Watch;
  readonly #server: ScriptedServer;
  readonly #clients: Clients;
  readonly #config: ServiceConfig;
  readonly #rows: Row[] = [];

  constructor(watch: Watch, server: ScriptedServer, clients: Clients, config: ServiceConfig) {
    [this.#watch, this.#server, this.#clients, this.#config] = [watch, server, clients, config];
  }

  async run(jobs: readonly Job[]): Promise<readonly Row[]> {
    const { submit, poll, fetch, list } = this.#watch.service;
    const [first] = jobs;
    if (first === undefined) return [];
    for (const one of [...NOTHING, ...OTHERS, TAKEN])
      await this.#ask('submission', one, submit.answers, (client) =>
        this.#submit(client, first, one),
      );
    for (const [n, one] of [...NOTHING, ...OTHERS].entries())
      await this.#ask('state', one, poll.answers, (client) =>
        this.#poll(client, `job-${n}`, first, one),
      );
    for (const job of jobs) {
      const [name = ''] = Object.keys(kindOf(job.kind).artefacts);
      for (const one of job === first ? [...NOTHING, ...OTHERS] : NOTHING)
        await this.#ask('file', one, fetch[name]?.answers ?? {}, (client) =>
          this.#fetch(client, job, name),
        );
    }
    if (!('missing' in list))
      for (const one of [...NOTHING, ...LISTS, ...OTHERS])
        await this.#ask('list', one, list.answers, (client) => this.#find(client, first, one));
    return this.#rows;
  }

  async #ask(
    step: Row['step'],
    { words, script }: Case,
    answers: unknown,
    send: (client: ServiceClient) => Promise<Told>,
  ): Promise<void> {
    this.#watch.said = undefined;
    if (script !== 'nobody') this.#server.script = script;
    const client = typeof script === 'string' ? (script === 'reset' ? 'usual' : script) : 'usual';
    const status = typeof script === 'string' ? null : script.status;
    const table = answersFor(answers as Answers<unknown, unknown>, this.#config);
    const meaning = status === null ? undefined : findMeaning(table, status);
    if (typeof meaning === 'object') this.#watch.said = meaning;
    const told = await send(this.#clients[client]).catch((error: unknown): Told => ({
      words: `breaks: ${String(error)}`,
      fault: 'THROWS',
    }));
    const isClaim = this.#watch.said != null;
    const fault = told.fault || this.#outage(status);
    this.#rows.push({ step, answer: words, outcome: told.words, isClaim, fault: fault || null });
    if (fault) this.#watch.report(fault, `${step}: ${words}`, told.words);
  }

  #type(): string | undefined {
    return (this.#watch.said as { type?: string } | null | undefined)?.type;
  }

  /** What a definition must not say of a 5xx, whether or not the engine believes it. */
  #outage(status: number | null): FaultCode | false {
    const believed = ['failed', 'deleted', 'refused', 'nameTaken', 'absent'];
    if (status !== 503) believed.push('notNow');
    return status !== null && status >= 500 && believed.includes(this.#type() ?? '')
      ? 'OUTAGE_BELIEVED'
      : false;
  }

  async #submit(client: ServiceClient, job: Job, { script, tells }: Case): Promise<Told> {
    const outcome = await client.submit(job, { signal });
    switch (outcome.type) {
      case 'accepted': {
        const isRedirect = typeof script === 'object' && script.status === 303;
        const fault = !isRedirect && 'ID_FROM_NOTHING';
        return { words: `accepted as ${outcome.remoteId}`, fault };
      }
      case 'refused':
        return {
          words: outcome.taken
            ? 'a job of this name exists: it is looked up'
            : 'the row is refused',
          fault: tells && this.#type() !== undefined && 'NOTHING_BELIEVED',
        };
      case 'notNow': {
        const wait = waiting(outcome.retryAfterMs);
        const who = outcome.scope === undefined ? outcome.reason : `${outcome.scope} refused`;
        return {
          words: `no job (${who}): ${wait}, then one row is sent`,
          fault: tells && this.#type() === 'notNow' && 'NOTHING_BELIEVED',
        };
      }
      case 'unsure':
        return { words: UNSURE[this.#watch.service.identity.by] };
    }
  }

  async #poll(client: ServiceClient, id: string, job: Job, one: Case): Promise<Told> {
    const from = this.#server.paths.length;
    const outcome = await client.poll(id, { signal });
    const fault = one.tells && 'NOTHING_BELIEVED';
    switch (outcome.type) {
      case 'running':
        return { words: 'runs: polled again', fault };
      case 'finished': {
        if (!one.tells) return { words: 'finished' };
        // A result at the same address: the check of the file decides what the state does not.
        const [name = ''] = Object.keys(kindOf(job.kind).artefacts);
        const file = await this.#fetch(client, job, name, id);
        const isSame = new Set(this.#server.paths.slice(from)).size === 1;
        return { words: `finished; ${file.words}`, fault: isSame ? file.fault : fault };
      }
      case 'failed':
        return { words: `failed: ${outcome.message}` };
      case 'deleted':
        return { words: 'deleted: the item ends' };
      case 'unknown':
        return { words: 'no such job: asked again for a while, then lost' };
      case 'unavailable':
        return { words: away(outcome) };
      case 'postponed':
        return { words: 'asked again' };
    }
  }

  async #fetch(client: ServiceClient, job: Job, name: string, id = 'job'): Promise<Told> {
    const what = `${name} of ${job.kind}`;
    const outcome = await client.fetch(id, name, { signal });
    switch (outcome.type) {
      case 'found': {
        const refused = await refusalOf(outcome, job, name, id);
        if (refused === null) return { words: `${what} accepted`, fault: 'DAMAGE_BELIEVED' };
        return { words: `${what} refused: ${refused}` };
      }
      case 'absent':
        return { words: `no ${what}` };
      case 'tooLarge':
        return { words: `${what} too large` };
      case 'unavailable':
        return { words: away(outcome) };
    }
  }

  async #find(client: ServiceClient, { kind, name }: Job, { words, tells }: Case): Promise<Told> {
    const { by } = this.#watch.service.identity;
    const outcome = await client.find(kind, name, { signal });
    switch (outcome.type) {
      case 'absent': {
        // A service that accepts a name once refuses the second job.
        const isWrong = tells === 'names' || (tells && by === 'list' && words !== '200, []');
        return { words: 'no job of this name: sent again', fault: isWrong && 'LIST_BELIEVED' };
      }
      case 'unavailable':
        return { words: away(outcome) };
      case 'unsupported':
        return { words: 'does not show whether there is a job: held' };
      case 'found':
        return { words: `found as ${outcome.remoteId}`, fault: 'ID_FROM_NOTHING' };
      case 'repeat':
        return { words: 'the same request is sent again' };
    }
  }
}

const UNSURE = {
  name: 'perhaps a job: looked up by its name',
  list: 'perhaps a job: looked up by its name, later',
  request: 'perhaps a job: the same request is sent again',
  nothing: 'perhaps a job: held, the user decides',
};

function waiting(ms: number | null): string {
  return ms === null ? 'waits' : `waits ${formatDuration(ms)}`;
}

function away(outcome: {
  readonly retryAfterMs?: number | null;
  readonly refusesUs?: boolean;
}): string {
  const who = outcome.refusesUs === true ? 'refuses us' : 'says nothing of the job';
  return `${who}: ${waiting(outcome.retryAfterMs ?? null)}, asked again`;
}

type Found = Extract<FetchOutcome, { type: 'found' }>;

/** Why an artefact is not taken; null if it is. */
async function refusalOf(
  { body, contentLength }: Found,
  job: Job,
  name: string,
  remoteId: string,
): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch {
    return 'broken off, loaded again';
  }
  const bytes = Buffer.concat(chunks);
  if (contentLength !== null && contentLength !== bytes.length) return 'broken off, loaded again';
  const { check } = kindOf(job.kind).artefacts[name] ?? {};
  const options = job.options as Options;
  const fault = await check?.(bytes, { options, input: job.input, remoteId, mayBeSynthetic: true });
  return fault?.code ?? null;
}
