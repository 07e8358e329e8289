/** What the exports of a plugin are, and what is wrong with them, in words. */
import { listKinds, isOwnKind, type AnyKind } from '../../kinds/registry.ts';
import { listServices, isOwnService } from '../registry.ts';
import type { Service } from '../service.ts';
import { readMark } from './define.ts';

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
  const served = services.flatMap(({ kinds }) => kinds as readonly AnyKind[]);
  const kinds = [...new Set([...exported, ...served])];
  const isDefined = (one: AnyKind) =>
    readMark(one) === 'kind' || (isOwnKind(one.name) && listKinds().includes(one));
  const faults: PluginFault[] = [];
  for (const { name } of kinds.filter((one) => !isDefined(one)))
    faults.push({ sort: 'shape', what: `${name}: make kinds with defineKind` });
  for (const { name } of kinds.filter((one) => !served.includes(one)))
    faults.push({ sort: 'shape', what: `${name}: no service of this plugin takes it` });
  // What has no right form has no names to compare.
  if (faults.length === 0)
    faults.push(...nameFaults(kinds, services, others), ...checkColumns(kinds, others));
  return { kinds, services, faults };
}

function createNothingFault(exports: object): PluginFault {
  const names = Object.keys(exports).filter((name) => name !== '__esModule');
  const found = names.length === 0 ? 'nothing' : names.join(', ');
  const what = `it exports ${found}, and no kind or service that defineKind or defineService returned`;
  return { sort: 'empty', what };
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
