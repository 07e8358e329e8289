/**
 * The real engines: where they are installed, what each needs, and their installation (scripts/engines.ts), each in a
 * Python environment of its own. `installed.json` is written last: a folder without it is incomplete, and is ignored.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalServicesError, takeLastLines } from '../problem.ts';
import { PLAIN_PATH } from './process.ts';

export const REAL_ENGINES = ['acpype', 'b2btools'] as const;
export type RealEngineName = (typeof REAL_ENGINES)[number];

/** The version of each, which made the recordings. */
const ENGINE_VERSIONS: Readonly<Record<RealEngineName, string>> = {
  acpype: '2023.10.27',
  b2btools: '3.0.9',
};

/** The content of `installed.json`. */
export interface Installed {
  readonly engine: RealEngineName;
  readonly version: string;
  /** The Python environment: programs are in its `bin/`. Absolute; Python environments cannot be moved. */
  readonly folder: string;
  /** Every package in it, and its version. */
  readonly packages: Readonly<Record<string, string>>;
}

/** Compiled, in an installed program; false in a checkout. */
const BUILT = extname(import.meta.url) === '.js';

const RECORD_FILE = 'installed.json';

/**
 * `.engines` in a checkout, `engines` in the user's cache for an installed package, or the folder in
 * `HUNDREDFOLD_ENGINES`: several checkouts may share one.
 */
export function findEnginesFolder(): string {
  const { HUNDREDFOLD_ENGINES: named, XDG_CACHE_HOME: cache = '', HOME: home } = process.env;
  if (named) return resolve(named);
  if (!BUILT) return fileURLToPath(new URL('../../../../.engines', import.meta.url));
  const folder = isAbsolute(cache) ? cache : join(home || homedir(), '.cache');
  return join(folder, 'hundredfold', 'engines');
}

/** The engine, if it is completely installed, was not moved, and has the version of this project. */
export function findInstalledEngine(
  engine: RealEngineName,
  folder: string = findEnginesFolder(),
): Installed | null {
  const place = join(folder, engine);
  try {
    // Only `install` writes it.
    const record = JSON.parse(readFileSync(join(place, RECORD_FILE), 'utf8')) as Installed;
    const isOurs = record.engine === engine && record.version === ENGINE_VERSIONS[engine];
    const isHere = isAbsolute(record.folder) && realpathSync(record.folder) === realpathSync(place);
    return isOurs && isHere ? record : null;
  } catch {
    return null;
  }
}

/** A required part of the system that only root can install. */
interface SystemNeed {
  /** The name to look for: a library's or a program's. */
  readonly name: string;
  readonly debianPackage: string;
  found(): boolean;
}

export interface Recipe {
  readonly engine: RealEngineName;
  /** For display: download and disk. */
  readonly size: string;
  /** Supported processors; absent: any. */
  readonly architectures?: readonly NodeJS.Architecture[];
  readonly needs: readonly SystemNeed[];
  /** The interpreter of the environment: an absolute path, or a name on PATH. */
  readonly python: string;
  /** Additional arguments of `python -m venv`. */
  readonly environmentOptions: readonly string[];
  /** Arguments of `pip install`. */
  readonly pipArguments: readonly string[];
  /** Runs the engine in its environment; returns its version, or the reason why it does not run. */
  prove(folder: string): { readonly version: string } | { readonly problem: string };
}

/** Debian's folder for the libraries of this architecture. */
const TRIPLET = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;

/** Absolute path of, for example, `libnetcdf.so.19`; null if the loader of the system does not have it. */
export function findLibrary(name: string): string | null {
  const roots = ['/usr/local/lib', '/usr/lib', '/lib'];
  const own = roots.map((root) => join(root, TRIPLET));
  const folders = [...own, ...roots, '/usr/lib64', '/lib64'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** Detects missing system packages, which only root can install. */
function requireLibrary(name: string, debianPackage: string): SystemNeed {
  return { name, debianPackage, found: () => findLibrary(name) !== null };
}

function requireProgram(name: string, debianPackage: string): SystemNeed {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = () => folders.some((folder) => existsSync(join(folder, name)));
  return { name, debianPackage, found };
}

function requireModule(name: string, debianPackage: string): SystemNeed {
  const find = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${name}") is None)`;
  const found = () => run(PYTHON, ['-c', find]).ok;
  return { name: `Python’s ${name}`, debianPackage, found };
}

/** The command that installs them. */
function formatAptCommand(missing: readonly SystemNeed[]): string {
  const packages = [...new Set(missing.map(({ debianPackage }) => debianPackage))];
  return `sudo apt-get install --no-install-recommends ${packages.join(' ')}`;
}

function readPinnedVersions(requirements: string): string[] {
  const file = fileURLToPath(new URL(requirements, import.meta.url));
  return ['--require-hashes', '--only-binary=:all:', '--no-deps', '-r', file];
}

/** ACPYPE with the AmberTools programs in its wheel (x86-64 only) and Open Babel's wheel. */
export const ACPYPE: Recipe = {
  engine: 'acpype',
  size: '45 MB to download, 184 MB on disk',
  architectures: ['x64'],
  needs: [
    // sqm, which computes the bcc charges.
    requireLibrary('libgfortran.so.5', 'libgfortran5'),
    requireLibrary('libblas.so.3', 'libblas3'),
    requireLibrary('liblapack.so.3', 'liblapack3'),
    requireLibrary('libarpack.so.2', 'libarpack2'),
    // teLeap: the copy in the wheel needs libraries that no system has.
    requireLibrary('libnetcdf.so.19', 'libnetcdf19'),
    requireProgram('ps', 'procps'),
  ],
  python: 'python3',
  environmentOptions: [],
  pipArguments: readPinnedVersions('acpype-requirements.txt'),
  prove(folder) {
    const said = run(join(folder, 'bin', 'acpype'), ['--version']);
    const version = /AnteChamber PYthon Parser interfacE v\. (\S+)/.exec(said.text)?.[1];
    if (version === undefined) return { problem: `acpype --version said: ${said.text.trim()}` };
    const babel = run(join(folder, 'bin', 'obabel'), ['-V']);
    return babel.ok ? { version } : { problem: `obabel -V said: ${babel.text.trim()}` };
  },
};

/** Debian's Python, the only one that can use Debian's packages. */
const PYTHON = '/usr/bin/python3';

/**
 * b2bTools without the gigabytes of CUDA that pip would install: PyTorch, scikit-learn, pandas and Biopython come from
 * Debian, and are visible in its environment. HMMER is for psper.
 */
export const B2BTOOLS: Recipe = {
  engine: 'b2btools',
  size: '231 MB to download with Debian’s packages, 1.2 GB on disk',
  needs: [
    requireModule('torch', 'python3-torch'),
    requireModule('sklearn', 'python3-sklearn'),
    requireModule('pandas', 'python3-pandas'),
    requireModule('packaging', 'python3-packaging'),
    requireModule('Bio', 'python3-biopython'),
    requireModule('requests', 'python3-requests'),
    requireModule('venv', 'python3-venv'),
    requireProgram('hmmsearch', 'hmmer'),
  ],
  python: PYTHON,
  environmentOptions: ['--system-site-packages'],
  pipArguments: readPinnedVersions('b2btools-requirements.txt'),
  prove(folder) {
    // Loads what a job needs.
    const load =
      'import b2bTools.__main__, b2bTools_version.versioning as v; print("version", v.PYPI_VERSION)';
    const said = run(join(folder, 'bin', 'python'), ['-c', load]);
    const version = /^version (.*)$/m.exec(said.text)?.[1];
    return version === undefined ? { problem: takeLastLines(said.text, 1) } : { version };
  },
};

export interface State {
  readonly engine: RealEngineName;
  readonly installed: Installed | null;
  /** Why it cannot be used; null if it can. */
  readonly problem: string | null;
  readonly remedy: string | null;
}

/** The package contains no installer: few users need engines, and can use those of a checkout. */
const FROM_A_CHECKOUT =
  'npm run engines in a checkout of hundredfold, then HUNDREDFOLD_ENGINES=FOLDER here (docs/engines.md)';

/** Changes nothing; runs an installed engine. */
export function check(recipe: Recipe, folder: string): State {
  const { engine, needs } = recipe;
  const installed = findInstalledEngine(engine, folder);
  const missing = needs.filter((need) => !need.found());
  const again = BUILT ? FROM_A_CHECKOUT : `npm run engines -- --only ${engine}`;
  if (missing.length > 0) {
    const problem = `the system lacks ${missing.map(({ name }) => name).join(', ')}`;
    const then = installed === null ? `${BUILT ? '; ' : ' && '}${again}` : '';
    return { engine, installed, problem, remedy: `${formatAptCommand(missing)}${then}` };
  }
  const proof = installed === null ? { problem: 'not installed' } : recipe.prove(installed.folder);
  return 'problem' in proof
    ? { engine, installed, problem: proof.problem, remedy: again }
    : { engine, installed, problem: null, remedy: null };
}

/** Installs what is missing according to `check`. Throws a LocalServicesError. */
export function install(recipe: Recipe, folder: string): Installed {
  const { engine, python, environmentOptions, pipArguments } = recipe;
  const place = join(folder, engine);
  refuseUnusable(recipe, place);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  runOrThrow(python, ['-m', 'venv', ...environmentOptions, place]);
  const pip = (...args: readonly string[]): string =>
    runOrThrow(join(place, 'bin', 'python'), ['-m', 'pip', ...args]);
  pip('install', '--quiet', '--disable-pip-version-check', '--retries', '2', ...pipArguments);
  const proof = recipe.prove(place);
  const version = 'version' in proof ? proof.version : null;
  if (version !== ENGINE_VERSIONS[engine]) {
    const why = 'problem' in proof ? proof.problem : `it is version ${proof.version}`;
    throw new LocalServicesError(
      'ENGINES_UNUSABLE',
      `${engine} was installed but does not run correctly: ${why}.`,
      'Start again; if the problem remains, check whether the folder is on a file system mounted noexec.',
    );
  }
  const listed = /^\[.*\]$/m.exec(pip('list', '--format=json', '--local'))?.[0] ?? '[]';
  const packages = (JSON.parse(listed) as { name: string; version: string }[]).map(
    (one) => [one.name, one.version] as const,
  );
  const record = { engine, version, folder: place, packages: Object.fromEntries(packages) };
  const draft = join(place, `${RECORD_FILE}.new`);
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(draft, join(place, RECORD_FILE));
  return record;
}

function refuseUnusable({ engine, architectures, needs }: Recipe, place: string): void {
  const refuse = (code: string, message: string, remedy: string): never => {
    throw new LocalServicesError(code, `${engine} ${message}.`, remedy);
  };
  if (process.platform !== 'linux' || architectures?.includes(process.arch) === false) {
    const restriction = architectures === undefined ? '' : ` on ${architectures.join(' or ')}`;
    const here = `${process.platform} on ${process.arch}`;
    const remedy = 'Use the recorded engine here, or another machine, virtual or not.';
    refuse('ENGINES_PLATFORM', `runs under Linux${restriction}; this is ${here}`, remedy);
  }
  // The engines use their own paths in shell commands.
  if (!PLAIN_PATH.test(place)) {
    const remedy =
      'Choose another folder for the engines: HUNDREDFOLD_ENGINES=/some/folder, here and when you start the services.';
    refuse(
      'ENGINES_PATH',
      `does not run from ${place}: the path has spaces or special characters`,
      remedy,
    );
  }
  const missing = needs.filter((need) => !need.found());
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const remedy = `Only root can install them. On Debian and Ubuntu, run this and start again:\n    ${formatAptCommand(missing)}`;
  refuse('ENGINES_SYSTEM', `needs these system packages: ${names}`, remedy);
}

function run(command: string, args: readonly string[]): { ok: boolean; text: string } {
  const env = { ...process.env, PIP_NO_INPUT: '1' };
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  return error
    ? { ok: false, text: error.message }
    : { ok: status === 0, text: `${stdout}\n${stderr}` };
}

/** The output. Throws a LocalServicesError if it fails. */
function runOrThrow(command: string, args: readonly string[]): string {
  const { ok, text } = run(command, args);
  if (ok) return text;
  throw new LocalServicesError(
    'ENGINES_PIP_FAILED',
    `${command} ${args.slice(0, 3).join(' ')} failed.`,
    'Read its output above. Needed are Python 3.9 to 3.13 with venv (Debian: python3-venv), a package index, and 1 GB.',
    { detail: takeLastLines(text) },
  );
}
