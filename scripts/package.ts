/**
 * `npm run package [-- --out FOLDER]` writes hundredfold-VERSION.tgz and prints its path. npm installs the packages of the
 * lock into the folder that it then packs: an installation uses no registry and runs what was tested (docs/release.md).
 */
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  bundleDigest,
  DIGEST_FILE,
  FAILURE_CONVERTER,
  loadWorkflowBundle,
} from '../src/temporal/bundle.ts';
import { outputOf } from './run.ts';

const WORKER = 'node_modules/@temporalio/worker';
/** A workspace of the checkout. The package has its code, and its dependencies among its own. */
const SERVICES = 'packages/local-services';

/** What the SDK bundles workflow code with: 34 MB, 40 % of all files. The package carries its bundles. */
const BUNDLER = ['@swc/core', 'memfs', 'source-map-loader', 'swc-loader', 'unionfs', 'webpack'];

/** Instead of the module that loads them: what the rest of @temporalio/worker 1.24.0 takes from it. */
const NO_BUNDLER = `'use strict';
exports.defaultWorkflowInterceptorModules = [require.resolve('../workflow-log-interceptor')];
exports.WorkflowCodeBundler = exports.bundleWorkflowCode = function refuse() {
  throw new Error('this copy of @temporalio/worker bundles no workflow code: give it a workflowBundle');
};
`;

/** What no program loads: three quarters of all files, and npm unpacks each. Licences stay with every copy. */
const UNUSED =
  /core-bridge\/(sdk-core|src|releases\/.*-windows-[^/]*)\/|rxjs\/(src|dist\/(esm5?|bundles))\/|\/(dist-es|tests?|benchmarks?)\/|\.(map|md|[cm]?ts|flow)$/;

interface Manifest {
  readonly dependencies: Record<string, string | undefined>;
  readonly packages?: Readonly<Record<string, Manifest>>;
}

const MAN_PAGE = 'hundredfold.1';

const { values } = parseArgs({ options: { out: { type: 'string', default: '.' } } });
const out = resolve(values.out);
fs.mkdirSync(out, { recursive: true });
process.chdir(join(import.meta.dirname, '..'));
outputOf(process.execPath, 'scripts/prepare.ts');
// npm names what it lists after the last folder.
const staged = resolve(fs.mkdtempSync('dist/package-'), 'hundredfold');
try {
  await copyProgram();
  process.chdir(staged);
  installPackages();
  removeUnused();
  const packed = outputOf('npm', 'pack', '--silent', '--pack-destination', out);
  process.stdout.write(`${join(out, packed)}\n`);
} finally {
  fs.rmSync(dirname(staged), { recursive: true });
}

/** Compiled code in place of TypeScript, what is built ahead in `dist/`, the rest as it is. */
async function copyProgram(): Promise<void> {
  const tsc = 'node_modules/@typescript/native/bin/tsc';
  outputOf(process.execPath, tsc, '-p', 'tsconfig.package.json', '--outDir', staged);
  const filter = (path: string) => !/\.tsx?$/.test(path);
  for (const path of ['src', `${SERVICES}/src`, `${SERVICES}/recordings`])
    fs.cpSync(path, join(staged, path), { recursive: true, filter });
  await loadWorkflowBundle(FAILURE_CONVERTER);
  const digest = bundleDigest();
  for (const path of [
    ...['dist/report-page', `dist/workflows-${digest}.js`, `dist/workflows-${digest}-encoded.js`],
    ...['bin', 'batches/demo', 'examples/services', 'schemas', 'starter'],
    'package-lock.json',
    ...['CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'package.json'],
  ])
    fs.cpSync(path, join(staged, path), { recursive: true });
  fs.writeFileSync(join(staged, MAN_PAGE), `${outputOf(process.execPath, 'scripts/man.ts')}\n`);
  fs.writeFileSync(join(staged, 'dist', DIGEST_FILE), `${JSON.stringify({ digest })}\n`);
}

function installPackages(): void {
  edit('package.json', (manifest) => {
    const library = { types: './src/runner/index.d.ts', default: './src/runner/index.js' };
    const service = { types: './src/service.d.ts', default: './src/service.js' };
    const services = fs.readFileSync(
      join(import.meta.dirname, '..', SERVICES, 'package.json'),
      'utf8',
    );
    const dependencies = {
      ...manifest.dependencies,
      ...(JSON.parse(services) as Manifest).dependencies,
    };
    Object.assign(manifest, {
      scripts: undefined,
      workspaces: undefined,
      dependencies,
      devDependencies: undefined,
      optionalDependencies: undefined,
      exports: { '.': library, './service': service, './package.json': './package.json' },
      // Unlike a checkout, the package brings no Node of its own.
      engines: { node: '>=22.23' },
      // npm links the page into PREFIX/share/man for global installations, if it is in a list.
      man: [MAN_PAGE],
      bundleDependencies: Object.keys(dependencies),
    });
  });
  edit('package-lock.json', ({ packages }) => removeBundler(packages?.[WORKER]));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  // Removes from the lock what nothing needs now.
  outputOf('npm', 'install', '--package-lock-only', '--offline', ...quiet);
  outputOf('npm', 'ci', '--prefer-offline', ...quiet);
  const bill = outputOf('npm', 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx');
  fs.writeFileSync('sbom.cdx.json', bill);
}

function removeUnused(): void {
  for (const path of fs.readdirSync('node_modules', { encoding: 'utf8', recursive: true })) {
    const isUnused = UNUSED.test(path) && !/\/(licen[cs]e|copying|notice)[^/]*$/i.test(path);
    const file = join('node_modules', path);
    if (isUnused && fs.statSync(file).isFile()) fs.rmSync(file);
  }
  const users = ['index.js', 'worker.js'].map((name) => `${WORKER}/lib/${name}`);
  const code = users.map((file) => fs.readFileSync(file, 'utf8')).join('');
  for (const [, name = ''] of code.matchAll(/bundler_1\.(\w+)/g))
    if (!NO_BUNDLER.includes(`exports.${name} =`)) throw new Error(`NO_BUNDLER lacks ${name}`);
  fs.writeFileSync(`${WORKER}/lib/workflow/bundler.js`, NO_BUNDLER);
  // Otherwise npm would fetch them when it installs the package.
  edit(`${WORKER}/package.json`, removeBundler);
}

function removeBundler(worker?: Manifest): void {
  for (const name of BUNDLER) if (worker) worker.dependencies[name] = undefined;
}

/** Of the staged package. */
function edit(path: string, change: (content: Manifest) => void): void {
  const content = JSON.parse(fs.readFileSync(path, 'utf8')) as Manifest;
  change(content);
  fs.writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}
