/** Builds the folder of the tarball: compiled code, bundles, dependencies, and the templates of `init`. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { BUNDLES, buildBundle, bundleIsCurrent } from '../setup/bundle.js';
import { copyPackages, neededPackages, type LockedPackages } from './dependencies.ts';
import { removeInternalDeclarations } from './declarations.ts';
import { libraryEntries, packageManifest, type Manifest } from './manifest.ts';
import { billOfMaterials } from './sbom.ts';
import { removeUnusedFiles } from './used-files.ts';
import { removeBundler } from './without-bundler.ts';
import { copyWorkflowCode, ENTRIES as WORKFLOW_ENTRIES, WORKFLOW_CODE } from './workflow-code.ts';
import { bundleDigest, DIGEST_FILE } from '../../src/temporal/bundle.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const STAGED = join(ROOT, 'dist', 'package');

const AS_THEY_ARE = [
  'bin',
  'batches/demo',
  'schemas',
  'starter',
  'CHANGELOG.md',
  'LICENSE',
  'docs/hundredfold.1',
  'NOTICE',
  'README.md',
];

/** Builds `dist/package` atomically; returns its path. */
export async function stage(): Promise<string> {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const draft = mkdtempSync(join(ROOT, 'dist', '.package-'));
  chmodSync(draft, 0o755);
  try {
    compile(join(draft, 'lib'));
    copyBundles(join(draft, 'dist'));
    copyWorkflowCode(join(draft, 'lib'), join(draft, WORKFLOW_CODE));
    for (const name of AS_THEY_ARE)
      cpSync(join(ROOT, name), join(draft, name), { recursive: true });
    const checkout = readJson('package.json') as Manifest;
    removeInternalDeclarations(join(draft, 'lib'), libraryEntries(checkout));
    removeInternalDeclarations(join(draft, WORKFLOW_CODE), WORKFLOW_ENTRIES);
    const manifest = packageManifest(checkout);
    const { packages } = readJson('package-lock.json') as { packages: LockedPackages };
    const modules = join(draft, 'lib', 'node_modules');
    const needed = neededPackages(packages);
    copyPackages(ROOT, needed, modules);
    writeFileSync(join(draft, 'sbom.cdx.json'), billOfMaterials(manifest, packages, needed));
    removeBundler(modules);
    await removeUnusedFiles(draft);
    writeFileSync(join(draft, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    rmSync(STAGED, { recursive: true, force: true });
    renameSync(draft, STAGED);
    return STAGED;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}

function compile(lib: string): void {
  node(
    join('node_modules', '@typescript', 'native', 'bin', 'tsc'),
    '-p',
    'tsconfig.package.json',
    '--outDir',
    lib,
  );
  const source = join(ROOT, 'src');
  for (const file of readdirSync(source, { encoding: 'utf8', recursive: true })) {
    // The report's page is bundled.
    if (file.startsWith('report-page') || !isAsset(file)) continue;
    mkdirSync(dirname(join(lib, file)), { recursive: true });
    copyFileSync(join(source, file), join(lib, file));
  }
}

/** Recordings, Python programs and requirements, and the few modules in plain JavaScript. */
function isAsset(file: string): boolean {
  if (file.endsWith('.d.ts')) return true;
  return extname(file) !== '' && !/\.tsx?$/.test(file);
}

function copyBundles(dist: string): void {
  // Another process of this checkout may be reading them: current ones are kept.
  for (const bundle of BUNDLES) if (!bundleIsCurrent(ROOT, bundle)) buildBundle(ROOT, bundle);
  node(join('src', 'temporal', 'build-bundle.ts'), '--all');
  const digest = bundleDigest();
  cpSync(join(ROOT, 'dist', 'report-page'), join(dist, 'report-page'), { recursive: true });
  for (const name of [`workflows-${digest}.js`, `workflows-${digest}-encoded.js`]) {
    copyFileSync(join(ROOT, 'dist', name), join(dist, name));
  }
  writeFileSync(join(dist, DIGEST_FILE), `${JSON.stringify({ digest })}\n`);
}

function node(...args: readonly string[]): void {
  const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  if (run.status === 0) return;
  throw new Error(`node ${args.join(' ')} failed:\n${run.stdout}\n${run.stderr}`);
}
