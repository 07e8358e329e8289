/** Makes node_modules match package-lock.json. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SetupProblem, commonProblem, lastLines } from '../../src/program/problem.js';

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** What an install depends on: the lock, and the machine that determines the platform's packages. */
function wanted(root) {
  return `${sha256(join(root, 'package-lock.json'))} ${process.platform} ${process.arch}\n`;
}

/** Inside node_modules, so that it is removed with it. */
function stampPath(root) {
  return join(root, 'node_modules', '.hundredfold-setup');
}

function readOr(path, otherwise) {
  return existsSync(path) ? readFileSync(path, 'utf8') : otherwise;
}

/**
 * What is installed: `run` leaves out what only tests, benches and the linter use, which is nearly half of it (a
 * browser, a database). `all` does for a run as well.
 * @typedef {'run' | 'all'} Scope
 */

/** @param {Scope} scope */
export function packagesAreCurrent(root, scope) {
  const [installed = '', ofScope] = readOr(stampPath(root), '').split('\n');
  return `${installed}\n` === wanted(root) && (ofScope === 'all' || ofScope === scope);
}

/** npm's `os` and `cpu`: a name or several. */
function fits(names, here) {
  return names === undefined || [names].flat().includes(here);
}

/** A platform's package for this machine. `libc` is ignored: npm determines which of the two is here. */
function isForHere({ os, cpu, libc }) {
  if (os === undefined && cpu === undefined) return false;
  return libc === undefined && fits(os, process.platform) && fits(cpu, process.arch);
}

/**
 * Whether npm's own record of what it installed agrees with the lock: true after an `npm ci` or
 * `npm install` by hand, which then need not be repeated. npm writes the record last.
 * @param {Scope} scope
 */
export function installedByHand(root, scope) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found !== undefined) return found.version === entry.version;
    if (scope === 'run' && (entry.dev === true || entry.devOptional === true)) return true;
    return entry.optional === true && !isForHere(entry);
  });
}

/** npm's own program and Node when npm started us; the `npm` of PATH otherwise. */
function npmCommand(env) {
  const cli = env.npm_execpath;
  if (cli !== undefined && /npm-cli\.c?js$/.test(cli) && existsSync(cli)) {
    // Not process.execPath: that may be the Node inside node_modules, which is about to be replaced.
    return [env.npm_node_execpath ?? process.execPath, [cli]];
  }
  return ['npm', []];
}

function npmProblem(text) {
  if (/can only install packages when your package\.json and package-lock\.json/i.test(text)) {
    return new SetupProblem(
      'SETUP_LOCK_DISAGREES',
      'package.json and package-lock.json do not agree.',
      'Run npm install and commit the lock, or restore both files from git.',
      lastLines(text),
    );
  }
  return (
    commonProblem('npm ci', text) ??
    new SetupProblem(
      'SETUP_NPM_FAILED',
      'npm ci failed.',
      'Read npm’s words below; npm ci in this folder shows them in full.',
      lastLines(text, 25),
    )
  );
}

/**
 * `npm ci`, with the packages of the scope and of this platform whatever NODE_ENV or the user's npm config say.
 * @param {Scope} scope
 */
export function installPackages(root, scope, env = process.env) {
  const [program, first] = npmCommand(env);
  const run = spawnSync(
    program,
    [
      ...first,
      'ci',
      scope === 'all' ? '--include=dev' : '--omit=dev',
      '--include=optional',
      // No dependency needs its script, and scripts would look for Node in the folder that is being replaced.
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      // Without a network npm would wait for over a minute before it reports an error.
      '--fetch-retry-mintimeout=1000',
      '--fetch-retry-maxtimeout=5000',
      // Node 20 starts the set-up and Node 24 runs the rest: the engine warnings are about the former.
      '--loglevel=error',
    ],
    { cwd: root, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (run.error?.code === 'ENOENT') {
    throw new SetupProblem(
      'SETUP_NO_NPM',
      'npm was not found.',
      'Install npm (it comes with Node; on Debian: apt install npm), then start again.',
    );
  }
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw npmProblem(`${run.stdout}\n${run.stderr}`);
}

/** @param {Scope} scope */
export function stampPackages(root, scope) {
  writeFileSync(stampPath(root), `${wanted(root)}${scope}\n`);
}

function isThere(path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** npm links the commands of dependencies, not those of the project itself: `npx hundredfold` needs this. */
export function linkCommand(root) {
  const link = join(root, 'node_modules', '.bin', 'hundredfold');
  if (existsSync(link)) return;
  if (isThere(link)) rmSync(link);
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  try {
    symlinkSync(join('..', '..', 'bin', 'hundredfold.js'), link);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
