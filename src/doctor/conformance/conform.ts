/** The conformance kit: what a service definition would do, outcome by outcome, and what is wrong with that. */
import { randomBytes } from 'node:crypto';
import type { Options } from '../../domain/item.ts';
import { kindOf, type AnyKind } from '../../kinds/registry.ts';
import { readOptions } from '../../manifest/options.ts';
import { makeClient } from '../../services/client.ts';
import { kindsOf } from '../../services/registry.ts';
import { configOf, type Job, type Service, type ServiceConfig } from '../../services/service.ts';
import { tryAnswers, type Row } from './answers.ts';
import { checkQuestions, checkSubmission, longestWord } from './definition.ts';
import { tryJob, type JobStep } from './job.ts';
import { explain } from './outcomes.ts';
import { Watch, type Fault } from './watch.ts';

/** What one variant of a service does. */
export interface Conformance {
  readonly service: string;
  /** Keys of its configuration that differ from their defaults. */
  readonly variant: ServiceConfig;
  readonly rows: readonly Row[];
  /** What each outcome means. */
  readonly meanings: Readonly<Record<string, string>>;
  /** One job of each kind, at a double. */
  readonly jobs: readonly JobStep[];
  readonly faults: readonly Fault[];
}

/**
 * @param config of its keys in the configuration
 * @param double a server that behaves like the service, for one real job of each kind
 */
export async function conform(
  service: Service,
  config: ServiceConfig,
  double: string | null = null,
): Promise<readonly Conformance[]> {
  // A double has one variant.
  const isOne = double !== null || service.variants.length === 0;
  const variants: readonly ServiceConfig[] = isOne ? [{}] : service.variants;
  const all: Conformance[] = [];
  for (const variant of variants)
    all.push(
      await tryVariant(service, variant, configOf(service, { ...config, ...variant }), double),
    );
  return all;
}

async function tryVariant(
  service: Service,
  variant: ServiceConfig,
  config: ServiceConfig,
  double: string | null,
): Promise<Conformance> {
  const watch = new Watch(service);
  const kinds = kindsOf(service).map(kindOf);
  const tried = await Promise.all(kinds.map((kind) => readJob(watch, kind)));
  for (const job of tried) checkSubmission(watch, job, config);
  if (tried[0]) checkQuestions(watch, tried[0], config);
  const settings = { config, secrets: madeUpSecrets(service) };
  const rows = await tryAnswers(watch, tried, settings);
  const meanings = Object.fromEntries(
    rows.map(({ outcome }) => [outcome, explain(outcome, service.identity)]),
  );
  const jobs: JobStep[] = [];
  if (double !== null) {
    const client = makeClient(watch.service, { ...settings, url: double });
    for (const job of tried) jobs.push(...(await tryJob(watch, job, client)));
    await client.close();
  }
  return { service: service.name, variant, rows, meanings, jobs, faults: watch.faults };
}

/** Of the right length, and worth nothing. */
function madeUpSecrets({ secrets }: Service): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(secrets).map(([key, { length = 10 }]) => [
      key,
      'made-up-'.padEnd(length, 'x').slice(0, length),
    ]),
  );
}

/** The job of an example; if a kind has none, of a text that only requests are made of. */
async function readJob(watch: Watch, kind: AnyKind): Promise<Job> {
  const where = `kind ${kind.name}`;
  const [{ text, extension = '', options: cells = {} } = NO_EXAMPLE] = kind.examples ?? [];
  const options: Options = readOptions(kind.name, (field) => cells[field] ?? '', []);
  // At a double, the name of an earlier trial is taken.
  const name = `doctor-${randomBytes(8).toString('hex')}`;
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
  const other = await read(text.replace(longestWord(text), swapped));
  if (other.input !== null && other.input.text !== input.text && other.canonical === canonical) {
    const message = 'two characters are exchanged, and `canonical` is the same';
    watch.report('INPUTS_CONFUSED', where, message);
  }
  return { ...job, input };
}

const NO_EXAMPLE: NonNullable<AnyKind['examples']>[number] = { text: 'example' };

/** The first two characters that differ change places. */
function swapped(word: string): string {
  return word.replace(/(.)(?!\1)(.)/s, '$2$1');
}
