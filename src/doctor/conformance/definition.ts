/** What is wrong with the requests of a definition, before anything is sent. */
import { urlOf } from '../../services/request.ts';
import type { Job, Request, ServiceConfig } from '../../services/service.ts';
import type { Watch } from './watch.ts';

/** Somewhere below it, as every address of a service. */
const BASE = new URL('https://service.example.org/below/');

/** The one request that costs something. */
export function checkSubmission(watch: Watch, job: Job, config: ServiceConfig): void {
  const { submit, identity, origins } = watch.service;
  const where = `submit.request.${job.kind}`;
  const describe = (one: Job) => submit.request[job.kind]?.(one, config) as Request | null;
  const request = describe(job);
  if (!request) return;
  try {
    urlOf({ base: BASE, origins }, request);
    if (!('path' in request))
      watch.report('REQUEST_ELSEWHERE', where, 'it has no `path` below the address of the service');
  } catch (error) {
    watch.report('REQUEST_ELSEWHERE', where, (error as Error).message);
  }
  const texts = textsIn({ ...request, auth: [] });
  const word = longestWord(job.input.text);
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
export function checkQuestions(watch: Watch, { kind, name }: Job, config: ServiceConfig): void {
  const { poll, fetch, list, probe } = watch.service;
  const id = 'a-job-id';
  const check = (where: string, request: Request | null) =>
    request && checkRequest(watch, where, request, [id, name, config]);
  check('poll.request', poll.request(id, config));
  for (const [file, { request }] of Object.entries(fetch))
    check(`fetch.${file}.request`, request(id, config, 'details'));
  if (!('missing' in list)) check('list.request', list.request({ kind, name }, config));
  check('probe.request', probe.request(config));
}

const SECRET_NAME = /authorization|cookie|token|api-?_?key|secret|password/i;
const SECRET_TEXT = /^(?:Bearer|Basic) |^(?=.*\d)(?=.*[a-z])[\w+/=.-]{24,}$/i;

/** @param given what the request may repeat */
function checkRequest(watch: Watch, where: string, request: Request, given: unknown): void {
  const { secrets } = watch.service;
  const segments = 'path' in request ? request.path : [];
  for (const one of segments.filter((segment) => segment.includes('/'))) {
    const message = `\`${one}\` is one segment, and its slash is escaped`;
    watch.report('REQUEST_ELSEWHERE', where, message);
  }
  // The name of a job may be written with other punctuation.
  const known = bare(JSON.stringify(given));
  const values = Object.values(secrets).map(({ env }) => process.env[env] || null);
  for (const { key, value } of textsIn({ ...request, auth: [] })) {
    const words = bare(value);
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

function textsIn(part: unknown, key = ''): readonly Text[] {
  if (typeof part === 'string') return [{ key, value: part }];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    textsIn(value, Array.isArray(part) ? key : name),
  );
}

function bare(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, '');
}

export function longestWord(text: string): string {
  return text.split(/\s+/).reduce((one, other) => (other.length > one.length ? other : one), '');
}
