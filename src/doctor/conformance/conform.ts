/** The conformance kit: what a service definition would do, outcome by outcome, and what is wrong with that. */
import { kindOf } from '../../kinds/registry.ts';
import { kindsOf } from '../../services/registry.ts';
import { configOf, type Service, type ServiceConfig } from '../../services/service.ts';
import { tryAnswers, type Row } from './answers.ts';
import { checkDefinition, checkRequest, readJob } from './definition.ts';
import { Watch, type Fault } from './watch.ts';

/** What one variant of a service does. */
export interface Conformance {
  readonly service: string;
  /** Keys of its configuration that differ from their defaults. */
  readonly variant: ServiceConfig;
  readonly rows: readonly Row[];
  readonly faults: readonly Fault[];
}

/** @param config of its keys in the configuration */
export async function conform(
  service: Service,
  config: ServiceConfig,
): Promise<readonly Conformance[]> {
  const variants = service.variants.length === 0 ? [{}] : service.variants;
  const all: Conformance[] = [];
  for (const variant of variants as readonly ServiceConfig[])
    all.push(await conformVariant(service, variant, configOf(service, { ...config, ...variant })));
  return all;
}

async function conformVariant(
  service: Service,
  variant: ServiceConfig,
  config: ServiceConfig,
): Promise<Conformance> {
  const watch = new Watch(service);
  checkDefinition(watch);
  const kinds = kindsOf(service).map(kindOf);
  const jobs = await Promise.all(kinds.map((kind) => readJob(watch, kind, NAME)));
  for (const job of jobs) checkRequest(watch, job, config);
  const rows = await tryAnswers(watch, jobs, { config, secrets: madeUpSecrets(service) });
  return { service: service.name, variant, rows, faults: watch.faults };
}

const NAME = 'conformance.example.0123456789abcdef';

/** Of the right length, and worth nothing. */
export function madeUpSecrets({ secrets }: Service): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(secrets).map(([key, { length = 10 }]) => [
      key,
      'made-up-'.padEnd(length, 'x').slice(0, length),
    ]),
  );
}
