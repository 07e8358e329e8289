/** What is wrong with a definition before anything is sent, and the jobs that it is tried with. */
import type { Options } from '../../domain/item.ts';
import { isOwnKind, kindOf, type AnyKind } from '../../kinds/registry.ts';
import { readOptions } from '../../manifest/options.ts';
import { urlOf } from '../../services/request.ts';
import { kindsOf } from '../../services/registry.ts';
import { listFaults, type Job, type Request, type ServiceConfig } from '../../services/service.ts';
import type { Watch } from './watch.ts';

/** The job of an example; if a kind has none, of a text that only requests are made of. */
export async function readJob(watch: Watch, kind: AnyKind, name: string): Promise<Job> {
  const [{ text, extension = '', options: cells = {} } = NO_EXAMPLE] = kind.examples ?? [];
  const options: Options = readOptions(kind.name, (field) => cells[field] ?? '', []);
  const job = { kind: kind.name, options, name, title: null, email: null };
  if (!kind.examples) return { ...job, input: { name: `input${extension}`, text } };
  const column = extension === '' ? (kind.input.column?.name ?? 'file') : 'file';
  const { input, findings } = await kind.input.read(
    { id: 'example', column, text, extension },
    options,
  );
  if (input !== null) return { ...job, input };
  const codes = findings.map(({ code }) => code).join(', ');
  watch.report('EXAMPLE_REFUSED', `kind ${kind.name}`, `its example is refused: ${codes}`);
  return { ...job, input: { name: `input${extension}`, text } };
}

const NO_EXAMPLE: NonNullable<AnyKind['examples']>[number] = { text: 'example' };

export function checkDefinition(watch: Watch): void {
  const { service } = watch;
  const wrong = (where: string, message: string) =>
    watch.report('DEFINITION_WRONG', where, message);
  for (const [n, fault] of listFaults(service).entries()) wrong(`fault ${n + 1}`, fault);
  const described: (readonly [string, string | undefined])[] = [
    ...Object.entries(service.secrets).map(
      ([key, { description }]) => [`secrets.${key}`, description] as const,
    ),
    ...Object.entries(service.config.shape).map(
      ([key, schema]) =>
        [`config.${key}`, (schema as { description?: string }).description] as const,
    ),
    ...kindsOf(service).flatMap((name) => describedBy(kindOf(name))),
  ];
  for (const [where, words] of described)
    if (!words?.trim()) wrong(where, 'it has no description for people');
}

function describedBy({ name, options, measures, table }: AnyKind) {
  // The columns of our own kinds are described in docs/result-tables.md.
  const columns = isOwnKind(name) ? {} : table.columns;
  return [
    ...Object.entries(options).map(([key, one]) => [`${name}.${key}`, one.description] as const),
    ...Object.entries(measures).map(([key, one]) => [`${name}.${key}`, one.meaning] as const),
    ...Object.entries(columns).map(([key, one]) => [`${name}.${key}`, one.meaning] as const),
  ];
}

/** Somewhere below it, as every address of a service. */
const BASE = new URL('https://service.example.org/below/');
const SECRET_NAME = /authorization|cookie|token|api-?_?key|secret|password/i;
const SECRET_TEXT = /^(?:Bearer|Basic) |^(?=.*\d)(?=.*[a-z])[\w+/=.-]{24,}$/i;

/** The one request that costs something. */
export function checkRequest(watch: Watch, job: Job, config: ServiceConfig): void {
  const { submit, identity, origins, secrets } = watch.service;
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
  const { path: _, auth = [], ...sent } = { path: [], ...request };
  const texts = textsIn(sent);
  const word = longestWord(job.input.text);
  const says = (text: string) => texts.some((one) => one.value.includes(text));
  const little = (message: string) => watch.report('REQUEST_SAYS_TOO_LITTLE', where, message);
  if (!says(word)) little(`the input is not in it: "${word.slice(0, 40)}" is missing`);
  if ((identity.by === 'name' || identity.by === 'list') && !says(job.name))
    little(`the name of the job is not in it, but identity is by ${identity.by}`);
  const text = job.input.text.replace(word, word + word.slice(-1));
  const other = describe({ ...job, input: { ...job.input, text } });
  if (JSON.stringify(other) === JSON.stringify(request)) little('it is the same for another input');
  // The name of a job may be written with other punctuation.
  const given = bare(JSON.stringify([job, config]));
  for (const { key, value } of texts) {
    const words = bare(value);
    if (words === '' || (words.length >= 8 && given.includes(words))) continue;
    if (SECRET_NAME.test(key) || SECRET_TEXT.test(value))
      watch.report(
        'REQUEST_HAS_SECRET',
        where,
        `"${key}" looks like a secret: name it in \`auth\``,
      );
  }
  for (const one of auth)
    for (const name of one.in === 'basic' ? [one.user, one.password] : [one.secret])
      if (!(name in secrets))
        watch.report(
          'DEFINITION_WRONG',
          where,
          `\`auth\` names ${name}, which is none of \`secrets\``,
        );
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

function longestWord(text: string): string {
  return text.split(/\s+/).reduce((one, other) => (other.length > one.length ? other : one), '');
}
