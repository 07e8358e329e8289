/** What is bundled ahead of the first run: the workflow code, which would cost a second of every start, and the report's page. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem, lastLines } from '../../src/program/problem.js';
import { projectNode } from './runtime.js';

/** Each with all that it may import (scripts/layers.js), and the versions it is bundled with. */
export const BUNDLES = [
  {
    name: 'workflow bundle',
    builder: join('src', 'temporal', 'build-bundle.ts'),
    folders: ['src/workflows', 'src/budget', 'src/domain'],
    stamp: '.workflow-bundle-inputs',
  },
  {
    name: 'report page',
    builder: join('src', 'report', 'page', 'build-pieces.ts'),
    folders: ['src/report-page', 'src/results', 'src/domain'],
    stamp: '.report-page-inputs',
  },
];

function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

function digest(root, { builder, folders }) {
  const hash = createHash('sha256');
  const sources = folders.flatMap((folder) => filesBelow(root, folder)).sort();
  for (const path of ['package-lock.json', builder, ...sources]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

function stampPath(root, { stamp }) {
  return join(root, 'dist', stamp);
}

export function bundleIsCurrent(root, bundle) {
  if (!existsSync(join(root, bundle.builder))) return true;
  const stamp = stampPath(root, bundle);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest(root, bundle);
}

export function buildBundle(root, bundle) {
  // Taken before: an edit during the build must make the bundle stale, not current.
  const inputs = digest(root, bundle);
  const run = spawnSync(projectNode(root), [bundle.builder], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) {
    throw new SetupProblem(
      'SETUP_BUNDLE_FAILED',
      `The ${bundle.name} was not built.`,
      'The bundler’s words are below; npm run typecheck often says more.',
      lastLines(`${run.stdout}\n${run.stderr}`, 30),
    );
  }
  writeFileSync(stampPath(root, bundle), inputs);
}
