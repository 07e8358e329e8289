/** The package.json of the package, derived from that of the checkout: compiled entry points, no dependencies. */
import { isWorkflowCode, PEERS, WORKFLOW_CODE } from './workflow-code.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const KEPT = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'homepage',
  'repository',
  'bugs',
  'type',
  'bin',
];

/** npm links it into PREFIX/share/man for global installations, if it is in a list. */
const MAN_PAGE = 'docs/hundredfold.1';

/** All files of the package. */
const FILES = [
  ...['bin', 'lib', 'dist/report-page', 'dist/workflows.json', 'dist/workflows-*.js'],
  WORKFLOW_CODE,
  ...['batches/demo', 'schemas', 'starter', 'CHANGELOG.md', 'NOTICE', 'sbom.cdx.json'],
  MAN_PAGE,
];

/** `./src/x.ts` → `x`; null for another entry. */
function sourceOf(entry: unknown): string | null {
  return typeof entry === 'string' ? (/^\.\/src\/(.+)\.ts$/.exec(entry)?.[1] ?? null) : null;
}

/** Sources of the entry points that are compiled into `lib`. */
export function libraryEntries({ exports }: Manifest): readonly string[] {
  const sources = Object.values(exports ?? {}).map(sourceOf);
  return sources.filter((source) => source !== null).filter((source) => !isWorkflowCode(source));
}

/** `./src/x.ts` → its compiled code and declarations. */
function compiled(entry: unknown): unknown {
  const source = sourceOf(entry);
  if (source === null) return entry;
  const folder = isWorkflowCode(source) ? WORKFLOW_CODE : 'lib';
  return { types: `./${folder}/${source}.d.ts`, default: `./${folder}/${source}.js` };
}

export function packageManifest(checkout: Manifest): Manifest {
  const entries = Object.entries(checkout.exports ?? {}).map(([name, to]) => [name, compiled(to)]);
  return {
    name: checkout.name,
    version: checkout.version,
    ...Object.fromEntries(KEPT.filter((key) => key in checkout).map((key) => [key, checkout[key]])),
    // Node 20 is not supported: unlike the checkout, the package installs no Node.
    engines: { node: '>=22.19' },
    exports: Object.fromEntries(entries) as Record<string, unknown>,
    files: FILES,
    man: [MAN_PAGE],
    // For the workflow code alone; a command line needs none of them.
    peerDependencies: Object.fromEntries(
      PEERS.map((name) => [name, `^${checkout.dependencies?.[name] ?? ''}`]),
    ),
    peerDependenciesMeta: Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
  };
}
