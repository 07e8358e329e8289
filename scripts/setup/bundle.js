/** Builds the workflow bundle ahead of the first run: bundling at start would cost a second of every start. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem, lastLines } from './problem.js';
import { projectNode } from './runtime.js';

const BUILDER = join('src', 'temporal', 'build-bundle.ts');
/** All that workflow code may import (scripts/layers.js), and the versions it is bundled with. */
const FOLDERS = ['src/workflows', 'src/budget', 'src/domain'];
const FILES = ['package-lock.json', BUILDER];

function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

function digest(root) {
  const hash = createHash('sha256');
  for (const path of [...FILES, ...FOLDERS.flatMap((folder) => filesBelow(root, folder)).sort()]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

function stampPath(root) {
  return join(root, 'dist', '.workflow-bundle-inputs');
}

export function bundleIsCurrent(root) {
  if (!existsSync(join(root, BUILDER))) return true;
  const stamp = stampPath(root);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest(root);
}

export function buildBundle(root) {
  // Taken before: an edit during the build must make the bundle stale, not current.
  const inputs = digest(root);
  const run = spawnSync(projectNode(root), [BUILDER], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) {
    throw new SetupProblem(
      'SETUP_BUNDLE_FAILED',
      'The workflow bundle was not built.',
      'The bundler’s words are below; npm run typecheck often says more.',
      lastLines(`${run.stdout}\n${run.stderr}`, 30),
    );
  }
  writeFileSync(stampPath(root), inputs);
}
