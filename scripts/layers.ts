/**
 * Which part of `src/` and `packages/` may import which: the table that `npm test` checks (imports.ts). Imports point one way:
 *
 *   cli → runner → host → worker → telemetry → temporal → activities → workflows → export
 *     → report → config → store, ledger → manifest → services → kinds, budget, state
 *     → domain, program
 *
 * Telemetry wraps what activities work with (clients, stores) and reads how budgets stand; nothing below measures itself,
 * so that a worker without an endpoint pays nothing.
 * The report is made from the output tree alone, so it is below the activity that publishes it.
 * Exports are made from the tree and from what the report reads of it.
 * Runner is the package's public API: the use cases (plan, start, follow, retry, adopt, control, doctor). The command line
 * calls them too, so they know no terminal, no prompts and no exit of the process.
 * Program says where the program's own files lie, in a checkout and in the package.
 * Three folders of `src/temporal/` are parts of their own, because the worker stands between them.
 */

/** The words of the services' contracts, the only file that the local services and their clients share. */
const CONTRACT = 'packages/local-services/src/contract.ts';

/** What the report's page draws, the only file of the report that the page imports. */
const PAGE_DATA = 'src/report/page-data.ts';

/** From the bottom up. A part may import itself and every part of the rows below its own. */
const ROWS = [
  ['contract'],
  ['domain', 'program'],
  ['kinds', 'budget', 'state'],
  ['services', 'page-data'],
  ['manifest'],
  ['store', 'ledger'],
  ['config', 'service'],
  ['report'],
  ['export'],
  ['workflows'],
  ['activities'],
  ['temporal'],
  ['telemetry'],
  ['worker'],
  ['host'],
  ['runner'],
  ['cli'],
];

/** All that the command line imports of the use cases: what the package exports, and what only a terminal needs. */
const RUNNER_DOOR = 'src/runner/command-line.ts';

type Table = Readonly<Record<string, readonly string[]>>;

const byRows: Table = Object.fromEntries(
  ROWS.flatMap((row, height) => row.map((part) => [part, ROWS.slice(0, height).flat()])),
);

/**
 * Part of `src/` or `packages/` → the other parts that it may import: the rows below, with some exceptions, each with its reason.
 * A file directly in `src/` is a part with its own name.
 */
const MAY_IMPORT: Table = {
  ...byRows,
  // A row of a manifest is checked by the contents of its input, and its job belongs to a service.
  manifest: ['domain', 'kinds', 'services'],
  kinds: ['contract', 'domain', 'program'],
  // The user's own folders: it must work before anything else is read.
  state: ['domain', 'program'],
  // Pure, and bundled with the workflow code: it must not reach the disk through `program`.
  budget: ['domain'],
  // The last check before a submission has no access to services or trees.
  ledger: ['domain', 'budget', 'state'],
  // Workflow code runs in the sandbox: nothing that uses a clock, a network or a disk is allowed.
  workflows: ['domain', 'budget'],
  // Runs in a browser: it imports nothing but its data.
  'report-page': ['page-data'],
  // The server side: with code shared with the client both could have the same error.
  'local-services': ['contract'],
  // These two start the local services in their own process.
  host: [...(byRows['host'] ?? []), 'local-services'],
  // Doctor checks the engines of the local services.
  runner: [...(byRows['runner'] ?? []), 'local-services'],
};

/**
 * Packages that a part may import, if not all are allowed. Parts imported by workflow code are bundled with it, so
 * domain and budget have the same restrictions as workflows.
 */
const MAY_USE: Table = {
  domain: [],
  budget: [],
  workflows: ['@temporalio/workflow', '@temporalio/common'],
  // All of it is part of every report.
  'report-page': ['preact', 'preact/hooks', '@observablehq/plot'],
};

/** Parts that use Temporal; all others can be tested and used without it. */
const KNOW_TEMPORAL = [
  'workflows',
  'activities',
  'temporal',
  'telemetry',
  'worker',
  'host',
  'runner',
  'cli',
];

/**
 * `src/services/http.ts` → `services`; `src/worker.ts` → `worker`; `src/temporal/host/folder.ts` → `host`; null outside `src/`
 * and `packages/`.
 */
function partOf(path: string): string | null {
  if (path === CONTRACT) return 'contract';
  if (path === PAGE_DATA) return 'page-data';
  const match =
    /^(?:src|packages)\/(?:temporal\/(?=(?:host|telemetry|worker)\/))?([^/]+?)(?:\.ts)?(?:\/|$)/.exec(
      path,
    );
  return match?.[1] ?? null;
}

/** A file of the checkout that is missing in the package: everything that the product needs is in `src` and `packages`. */
function isOutsideProduct(target: string): boolean {
  return /^(scripts|test|bench)(\/|$)/.test(target);
}

function mayUse(part: string, specifier: string): boolean {
  if (isOutsideProduct(specifier)) return false;
  if (specifier.startsWith('@temporalio/') && !KNOW_TEMPORAL.includes(part)) return false;
  const allowed = MAY_USE[part];
  return allowed === undefined || allowed.includes(specifier);
}

export interface Import {
  /** Path of the importing file in the project: `src/budget/policy.ts`. */
  readonly from: string;
  /** Path of the imported file in the project, or a package's name. */
  readonly target: string;
}

/** Why the import is not allowed; null if it is. */
export function importProblem({ from, target }: Import): string | null {
  const part = partOf(from);
  if (part === null) return null;
  const allowed = MAY_IMPORT[part];
  if (allowed === undefined) return `${part} has no place in scripts/layers.ts yet`;
  const other = partOf(target);
  if (part === 'cli' && other === 'runner' && target !== RUNNER_DOOR)
    return `cli may not import ${target}: the door of the use cases is ${RUNNER_DOOR}`;
  if (other === null) {
    return mayUse(part, target) ? null : `${part} may not use ${target}`;
  }
  if (other === part || allowed.includes(other)) return null;
  return `${part} may not import ${other}`;
}
