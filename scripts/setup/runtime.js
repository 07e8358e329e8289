/** Which Node runs the project: the pinned one of node_modules on Linux, the user's own elsewhere. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from '../../src/program/problem.js';

/** The first with all features that the project uses: types stripped without a flag, node:sqlite, undici 8. */
const LEAST_NODE = [22, 19];

function isRecent(version, least = LEAST_NODE) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > least[0] || (major === least[0] && minor >= least[1]);
}

/** The Node package that package.json pins for this machine; null if there is none. */
function pinnedNode(root) {
  const path = join(
    root,
    'node_modules',
    `node-${process.platform}-${process.arch}`,
    'bin',
    'node',
  );
  return existsSync(path) ? path : null;
}

function tooOld(found) {
  return new SetupProblem(
    'SETUP_NODE_TOO_OLD',
    `Node ${LEAST_NODE.join('.')} or newer is needed; this is ${found}.`,
    'Install Node 24 (nvm install 24, brew install node@24 or the installer), then start again. Only on Linux x64 and arm64 does the set-up bring its own.',
  );
}

/** Throws before anything is installed if no Node comes with the packages and the user's is too old. */
export function checkNode() {
  const comes = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  if (!comes && !isRecent(process.version)) throw tooOld(process.version);
}

/** A Node that can run the project, proven to start: a musl system has the package and cannot run it. */
export function projectNode(root) {
  const pinned = pinnedNode(root);
  if (pinned === null) {
    if (!isRecent(process.version)) throw tooOld(process.version);
    return process.execPath;
  }
  if (spawnSync(pinned, ['--version']).status === 0) return pinned;
  throw new SetupProblem(
    'SETUP_NODE_UNUSABLE',
    'The Node of node_modules does not start on this machine.',
    'A Linux with glibc is needed (Debian, Ubuntu, Fedora, …); Alpine has musl. Use the Dockerfile there.',
  );
}
