/**
 * Sets the checkout up: the packages of the lock, the `hundredfold` command, the Temporal CLI, the
 * bundles of the workflow code and of the report's page.
 * Runs before `npm start` and `npm test` as well, where it says nothing when all is in place.
 * Plain JavaScript and Node's own modules only: it runs before there is anything else, on any Node from 20.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TemporalCliError, findTemporalCli } from '../src/program/temporal-cli.js';
import { BUNDLES, bundleIsCurrent, buildBundle } from './setup/bundle.js';
import { exclusively } from './setup/exclusive.js';
import {
  installPackages,
  installedByHand,
  linkCommand,
  packagesAreCurrent,
  stampPackages,
} from './setup/packages.js';
import { SetupProblem } from '../src/program/problem.js';
import { checkNode } from './setup/runtime.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const quiet = process.argv.includes('--quiet');
/** `npm start` needs less than `npm test`: no tests, benchmarks or linter. */
const scope = process.argv.includes('--run-only') ? 'run' : 'all';

const SOURCES = {
  environment: 'TEMPORAL_CLI',
  project: 'the project’s own copy',
  cache: 'the user’s cache',
  path: 'PATH',
};

/** Messages for people go to stderr: stdout belongs to the command that follows. */
function say(text) {
  process.stderr.write(`${text}\n`);
}

let worked = false;

async function step(name, work) {
  worked = true;
  say(`set-up: ${name} …`);
  const start = performance.now();
  await work();
  say(`set-up: ${name}: done in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

function inPlace() {
  return (
    packagesAreCurrent(ROOT, scope) &&
    existsSync(join(ROOT, 'node_modules', '.bin', 'hundredfold')) &&
    findTemporalCli({ root: ROOT }) !== null &&
    BUNDLES.every((bundle) => bundleIsCurrent(ROOT, bundle))
  );
}

/** Each step checks again: another set-up may have done it while this one waited for the lock. */
async function setUp() {
  if (!packagesAreCurrent(ROOT, scope)) {
    // A full installation is kept: it contains everything that a run needs.
    const there = ['all', scope].find((one) => installedByHand(ROOT, one));
    if (there === undefined) {
      await step('packages (npm ci)', () => installPackages(ROOT, scope));
    }
    stampPackages(ROOT, there ?? scope);
  }
  linkCommand(ROOT);
  if (findTemporalCli({ root: ROOT }) === null) {
    const { fetchTemporalCli } = await import('./setup/temporal.js');
    await step('Temporal CLI', () => fetchTemporalCli(ROOT));
  }
  for (const bundle of BUNDLES) {
    if (!bundleIsCurrent(ROOT, bundle)) await step(bundle.name, () => buildBundle(ROOT, bundle));
  }
}

function report() {
  const cli = findTemporalCli({ root: ROOT });
  say(`set-up: complete. Temporal CLI: ${cli.path} (${SOURCES[cli.source]}).`);
}

/** A `npm pack` that was killed leaves the package's package.json behind (scripts/package/swap.ts). */
function undoPacking() {
  const aside = join(ROOT, 'dist', 'package.json.of-the-checkout');
  if (existsSync(aside)) renameSync(aside, join(ROOT, 'package.json'));
}

try {
  undoPacking();
  checkNode();
  if (!inPlace()) {
    await exclusively(join(ROOT, '.tools', 'setup.lock'), setUp, () => {
      say('set-up: another set-up of this checkout is running; waiting for it …');
    });
  }
  if (worked || !quiet) report();
} catch (error) {
  if (!(error instanceof SetupProblem) && !(error instanceof TemporalCliError)) throw error;
  if (error.detail) say(error.detail);
  say(`${error.code}: ${error.message}`);
  say(error.remedy);
  process.exitCode = 1;
}
