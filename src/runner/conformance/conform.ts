/** The conformance kit: what a service definition would do, outcome by outcome, and what is wrong with that. */
import type { Options } from '../../domain/campaign.ts';
import { type AnyKind, findKind } from '../../kinds/registry.ts';
import { readOptions } from '../../manifest/columns.ts';
import { listKindsOf } from '../../services/registry.ts';
import { buildUrl } from '../../services/request.ts';
import {
  parseConfig,
  type Job,
  type Request,
  type Service,
  type ServiceConfig,
} from '../../services/service.ts';
import { explain, type Row, tryAnswers } from './answers.ts';
import { type Fault, Watch } from './watch.ts';

/** What one variant of a service does. */
export interface Conformance {
  readonly service: string;
  /** Keys of its configuration that differ from their defaults. */
  readonly variant: ServiceConfig;
  readonly rows: readonly Row[];
  /** What each outcome means. */
  readonly meanings: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
}

/** @param config of its keys in the configuration */
export async function checkConformance(
  service: Service,
  config: ServiceConfig,
): Promise<readonly Conformance[]> {
  const variants = service.variants.length === 0 ? [{}] : service.variants;
  return Promise.all(variants.map((variant) => tryVariant(service, variant, config)));
}

async function tryVariant(
  service: Service,
  variant: ServiceConfig,
  configured: ServiceConfig,
): Promise<Conformance> {
  const config = parseConfig(service, { ...configured, ...variant });
  const watch = new Watch(service);
  const kinds = listKindsOf(service).map(findKind);
  const tried = await Promise.all(kinds.map((kind) => readJob(watch, kind)));
  for (const job of tried) checkSubmission(watch, job, config);
  if (tried[0]) checkQuestions(watch, tried[0], config);
  const rows = await tryAnswers(watch, tried, { config, secrets: createSecrets(service) });
  const meanings = Object.fromEntries(
    rows.map(({ outcome }) => [outcome, explain(outcome, service.identity)]),
  );
  return { service: service.name, variant, rows, meanings, faults: watch.faults };
}

/** Of the right length, and worth nothing. */
function createSecrets({ secrets }: Service): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(secrets).map(([key, { length = 10 }]) => [key, 'x'.repeat(length)]),
  );
}

/** The job of an example; if a kind has none, of a text that only requests are made of. */
async function readJob(watch: Watch, kind: AnyKind): Promise<Job> {
  const where = `kind ${kind.name}`;
  const [{ text, extension = '', options: cells = {} } = NO_EXAMPLE] = kind.examples ?? [];
  const options: Options = readOptions(kind.name, (field) => cells[field] ?? '', []);
  const name = 'doctor-0123456789abcdef';
  const job = { kind: kind.name, options, name, title: null, email: null };
  const unread = { ...job, input: { name: `input${extension}`, text } };
  if (!kind.examples) {
    watch.report('EXAMPLE_MISSING', where, 'it has no `examples`');
    return unread;
  }
  const column = extension === '' ? (kind.input.column?.name ?? 'file') : 'file';
  const read = async (one: string) =>
    kind.input.read({ id: 'example', column, text: one, extension }, options);
  for (const odd of ['', ' \n', '\uFEFF', '\0', '>', '{}'])
    await read(odd).catch((error: unknown) => {
      watch.report('THROWS', `${where}, input.read`, `${JSON.stringify(odd)}: ${String(error)}`);
    });
  const { input, canonical, findings } = await read(text);
  if (input === null) {
    watch.report('EXAMPLE_REFUSED', where, findings.map(({ code }) => code).join(', '));
    return unread;
  }
  const other = await read(text.replace(findLongestWord(text), swapLetters));
  if (other.input !== null && other.input.text !== input.text && other.canonical === canonical) {
    const message = 'two characters are exchanged, and `canonical` is the same';
    watch.report('INPUTS_CONFUSED', where, message);
  }
  return { ...job, input };
}

const NO_EXAMPLE: NonNullable<AnyKind['examples']>[number] = { text: 'example' };

/** The first two characters that differ change places. */
function swapLetters(word: string): string {
  return word.replace(/(.)(?!\1)(.)/s, '$2$1');
}

/** Somewhere below it, as every address of a service. */
const BASE = new URL('https://service.example.org/below/');

/** The one request that costs something. */
function checkSubmission(watch: Watch, job: Job, config: ServiceConfig): void {
  const { submit, identity, origins } = watch.service;
  const where = `submit.request.${job.kind}`;
  const describe = (one: Job) => submit.request[job.kind]?.(one, config) as Request | null;
  const request = describe(job);
  if (!request) return;
  try {
    buildUrl({ base: BASE, origins }, request);
    if (!('path' in request))
      watch.report('REQUEST_ELSEWHERE', where, 'it has no `path` below the address of the service');
  } catch (error) {
    watch.report('REQUEST_ELSEWHERE', where, (error as Error).message);
  }
  const texts = listTexts({ ...request, auth: [] });
  const word = findLongestWord(job.input.text);
  const says = (text: string) => texts.some((one) => one.value.includes(text));
  const little = (message: string) => watch.report('REQUEST_SAYS_TOO_LITTLE', where, message);
  if (!says(word)) little(`the input is not in it: "${word.slice(0, 40)}" is missing`);
  if ((identity.by === 'name' || identity.by === 'list') && !says(job.name))
    little(`the name of the job is not in it, but identity is by ${identity.by}`);
  const text = job.input.text.replace(word, word + word.slice(-1));
  const other = describe({ ...job, input: { ...job.input, text } });
  if (JSON.stringify(other) === JSON.stringify(request)) little('it is the same for another input');
  checkRequest(watch, where, request, [job, config]);
}

/** Requests about a job that exists. */
function checkQuestions(watch: Watch, { kind, name }: Job, config: ServiceConfig): void {
  const { poll, fetch, list, probe } = watch.service;
  const id = 'a-job-id';
  const check = (where: string, request: Request | null) =>
    request && checkRequest(watch, where, request, [id, name, config]);
  check('poll.request', poll.request(id, config));
  for (const [file, { request }] of Object.entries(fetch))
    check(`fetch.${file}.request`, request(id, config));
  if (!('missing' in list)) check('list.request', list.request({ kind, name }, config));
  check('probe.request', probe.request(config));
}

const SECRET_NAME = /authorization|cookie|token|api-?_?key|secret|password/i;
const SECRET_TEXT = /^(?:Bearer|Basic) |^(?=.*\d)(?=.*[a-z])[\w+/=.-]{24,}$/i;

/** @param given what the request may repeat */
function checkRequest(watch: Watch, where: string, request: Request, given: unknown): void {
  const { secrets } = watch.service;
  for (const one of 'path' in request ? request.path : [])
    if (one.includes('/'))
      watch.report('REQUEST_ELSEWHERE', where, `\`${one}\` is one segment: its slash is escaped`);
  // The name of a job may be written with other punctuation.
  const known = stripPunctuation(JSON.stringify(given));
  const values = Object.values(secrets).map(({ env }) => process.env[env] || null);
  for (const { key, value } of listTexts({ ...request, auth: [] })) {
    const words = stripPunctuation(value);
    const isGiven = words === '' || (words.length >= 8 && known.includes(words));
    const isLike = SECRET_NAME.test(key) || SECRET_TEXT.test(value);
    if (values.some((one) => one !== null && value.includes(one)) || (isLike && !isGiven))
      watch.report('REQUEST_HAS_SECRET', where, `\`${key}\` looks like a secret`);
  }
  for (const one of request.auth ?? [])
    for (const name of one.in === 'basic' ? [one.user, one.password] : [one.secret])
      if (!(name in secrets))
        watch.report('SECRET_UNKNOWN', where, `\`auth\` names ${name}, which \`secrets\` has not`);
}

interface Text {
  readonly key: string;
  readonly value: string;
}

function listTexts(part: unknown, key = ''): readonly Text[] {
  if (typeof part === 'string') return [{ key, value: part }];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    listTexts(value, Array.isArray(part) ? key : name),
  );
}

function stripPunctuation(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, '');
}

function findLongestWord(text: string): string {
  return text.split(/\s+/).reduce((one, other) => (other.length > one.length ? other : one), '');
}
