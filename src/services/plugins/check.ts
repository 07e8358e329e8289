/** What the exports of a plugin are, and what is wrong with them, in words. */
import { listKinds, isOwnKind, type AnyKind } from '../../kinds/registry.ts';
import { listServices, isOwnService } from '../registry.ts';
import { findMaxNameLength, type ServedKind, type Service } from '../service.ts';
import { readMark } from './define.ts';
import { kindShape, serviceShape, listShapeFaults } from './shapes.ts';

/** What to do about each sort of fault. */
export const PLUGIN_REMEDIES = {
  notFound:
    'Under plugins:, write ./NAME.ts for a file beside hundredfold.yaml, an absolute path, or the name of an installed package.',
  syntax: 'Correct that line.',
  import:
    'A plugin may import hundredfold/service, its own files, installed packages, node:buffer, node:crypto, node:util and node:zlib.',
  threw: 'Correct that line; nothing of a plugin runs before its definitions are used.',
  empty: 'Write: export const NAME = defineService({ … }).',
  shape: 'docs/plugins.md lists the keys of a kind and of a service.',
  name: 'Choose another name.',
  column: 'Choose another name for the column, such as the one that the service uses.',
  zod: "Write: import { z } from 'hundredfold/service'.",
} as const;

/** What is wrong with a plugin. */
export interface PluginFault {
  readonly sort: keyof typeof PLUGIN_REMEDIES;
  readonly what: string;
}

export interface Definitions {
  readonly kinds: readonly AnyKind[];
  readonly services: readonly Service[];
}

/** Of a plugin that was loaded before: `entry` is its name in the configuration. */
type Others = readonly (Definitions & { readonly entry: string })[];

/** Columns that every row has. */
const EVERY_ROW = ['id', 'kind', 'file', 'remote_id', 'email', 'title'];

export function checkDefinitions(
  exports: Readonly<Record<string, unknown>>,
  others: Others,
): Definitions & { readonly faults: readonly PluginFault[] } {
  const values = Object.values(exports);
  const services = values.filter((one) => readMark(one) === 'service') as Service[];
  const exported = values.filter((one) => readMark(one) === 'kind') as AnyKind[];
  if (services.length + exported.length === 0)
    return { kinds: [], services, faults: [createNothingFault(exports)] };
  const served = services.flatMap(({ kinds }) => (Array.isArray(kinds) ? kinds : []) as AnyKind[]);
  const kinds = [...new Set([...exported, ...served])];
  const faults: PluginFault[] = [
    ...services.flatMap((one) => checkService(one)),
    ...kinds.flatMap((one) => checkKind(one)),
  ];
  // What has no right form has no names to compare.
  if (faults.length === 0) {
    for (const { name } of kinds.filter((one) => !served.includes(one)))
      faults.push({ sort: 'shape', what: `${name}: no service of this plugin takes it` });
    faults.push(...nameFaults(kinds, services, others), ...checkColumns(kinds, others));
  }
  return { kinds, services, faults };
}

function createNothingFault(exports: object): PluginFault {
  const names = Object.keys(exports).filter((name) => name !== '__esModule');
  const found = names.length === 0 ? 'nothing' : names.join(', ');
  const what = `it exports ${found}, and no kind or service that defineKind or defineService returned`;
  return { sort: 'empty', what };
}

function checkService(service: Service): readonly PluginFault[] {
  const name = typeof service.name === 'string' ? service.name : 'a service';
  const config: unknown = service.config;
  const foreign = isForeignSchema(config) || Object.values(readShape(config)).some(isForeignSchema);
  if (foreign) return [{ sort: 'zod', what: `${name}: \`config\` is of another copy of zod` }];
  const shape = listShapeFaults(serviceShape, service);
  const all = shape.length > 0 ? shape : listFaults(service);
  return all.map((one) => ({ sort: 'shape', what: `${name}: ${one}` }));
}

/** What neither types nor its shape can refuse in a definition, a sentence each. */
export function listFaults(service: Service): readonly string[] {
  const { name, kinds, identity, secrets, list, submit, fetch, config } = service;
  const faults: string[] = [];
  const check = (isRight: boolean, fault: string) => isRight || faults.push(fault);
  const longest = findMaxNameLength(service);
  check(
    longest === null || !('missing' in list),
    `\`identity\` is by ${identity.by}, but there is no \`list\` in which a name could be looked up`,
  );
  check(
    longest === null || longest >= MIN_NAME_LENGTH,
    `\`identity.maxLength\` is less than ${MIN_NAME_LENGTH} characters, in which no name is unique`,
  );
  for (const { name: kind, artefacts = {} } of kinds as readonly (ServedKind & {
    artefacts?: object;
  })[]) {
    check(kind in submit.request, `\`submit.request\` has nothing for its kind ${kind}`);
    for (const artefact of Object.keys(artefacts))
      check(artefact in fetch, `\`fetch\` has nothing for ${artefact} of its kind ${kind}`);
  }
  for (const key of Object.keys(secrets))
    check(!RESERVED.has(key), `the secret \`${key}\` has the name of a key that every service has`);
  for (const key of Object.keys(config.shape))
    check(
      !RESERVED.has(key) && !(key in secrets),
      `\`config.${key}\` has the name of another key under services.${name}`,
    );
  return faults;
}

/** Characters: those of the digest in a name (src/store/work.ts), and a few to read. */
const MIN_NAME_LENGTH = 24;

/** Keys under `services.NAME` that every service has. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['url', 'budget', 'maxDownload', 'maxOpen', 'poll'],
  ...['allowHttp', 'tls', 'basic', 'headers', 'proxy'],
]);

/** A schema of zod 3, or of a zod before ours. */
function isForeignSchema(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('safeParse' in value)) return false;
  const { _zod } = value as { _zod?: { version?: { major?: number } } };
  return _zod?.version?.major !== 4;
}

function readShape(config: unknown): object {
  return (config as { shape?: object } | undefined)?.shape ?? {};
}

function checkKind(kind: AnyKind): readonly PluginFault[] {
  if (listKinds().some((known) => known === kind && isOwnKind(kind.name))) return [];
  const name = typeof kind.name === 'string' ? kind.name : 'a kind';
  if (readMark(kind) !== 'kind')
    return [{ sort: 'shape', what: `${name}: make kinds with defineKind` }];
  return listShapeFaults(kindShape, kind).map((one) => ({
    sort: 'shape',
    what: `${name}: ${one}`,
  }));
}

type Names = readonly (readonly [what: string, name: string, owner: string])[];

/** Names that must be unique in a process, with whose they are. */
function listNames(kinds: readonly AnyKind[], services: readonly Service[], owner: string): Names {
  return [
    ...kinds.flatMap(({ name, folder, table, measuresTable }): Names => [
      ['kind', name, owner],
      ['folder', folder, owner],
      ['table', table.name, owner],
      ...(measuresTable === null ? [] : [['table', measuresTable, owner] as const]),
    ]),
    ...services.map(({ name }) => ['service', name, owner] as const),
  ];
}

function nameFaults(
  kinds: readonly AnyKind[],
  services: readonly Service[],
  others: Others,
): readonly PluginFault[] {
  const taken = [
    ...listNames(
      listKinds().filter(({ name }) => isOwnKind(name)),
      listServices().filter(({ name }) => isOwnService(name)),
      'hundredfold',
    ),
    ...['tables', 'rejected', '.hundredfold'].map((one) => ['folder', one, 'hundredfold'] as const),
    ...others.flatMap((one) => listNames(one.kinds, one.services, one.entry)),
  ];
  const faults: PluginFault[] = [];
  for (const [what, name] of listNames(kinds, services, '')) {
    const owner = taken.find((other) => other[0] === what && other[1] === name)?.[2];
    if (owner !== undefined)
      faults.push({ sort: 'name', what: `the ${what} ${name} is one of ${owner}` });
    else taken.push([what, name, 'the same plugin']);
  }
  return faults;
}

function checkColumns(kinds: readonly AnyKind[], others: Others): readonly PluginFault[] {
  const known = [...listKinds(), ...others.flatMap((one) => one.kinds), ...kinds];
  const faults: PluginFault[] = [];
  const refuse = (what: string) => faults.push({ sort: 'column', what });
  for (const kind of kinds) {
    const own = [kind.input.column?.name ?? [], Object.keys(kind.options)].flat();
    for (const column of own) {
      if (EVERY_ROW.includes(column)) refuse(`${kind.name}: every row has a column ${column}`);
      const other = known.find(
        (one) =>
          one.name !== kind.name && findMeaningOf(one, column) !== findMeaningOf(kind, column),
      );
      if (other && findMeaningOf(other, column) !== null)
        refuse(`${kind.name}: the kind ${other.name} has another column ${column}`);
    }
    const rival = known.find(
      (one) =>
        one.name !== kind.name &&
        one.input.extensions.some((ending) => kind.input.extensions.includes(ending)),
    );
    if (rival && kind.input.recognise === undefined) {
      const what = `${kind.name}: files of the kind ${rival.name} have the same extension: write \`input.recognise\``;
      faults.push({ sort: 'shape', what });
    }
  }
  return faults;
}

/** What a column says in rows of a kind; null if the kind has no such column. */
function findMeaningOf({ input, options }: AnyKind, column: string): string | null {
  if (input.column?.name === column) return 'input';
  return column in options ? JSON.stringify(options[column]) : null;
}
