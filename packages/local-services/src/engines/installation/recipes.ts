/** The facts for installing an engine; one recipe per engine, each in its own file. */
import type { RealEngineName } from '../real/installed.ts';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { sharedLibrary } from '../real/shared-library.ts';
import { fileURLToPath } from 'node:url';
import { outputOf } from './python.ts';
import { FORK_SERVER } from '../real/b2btools/fork-server.ts';
import { lastLines } from '../../problem.ts';

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

/** Detects missing system packages, which only root can install. */
export function library(name: string, debianPackage: string): SystemNeed {
  return { name, debianPackage, found: () => sharedLibrary(name) !== null };
}

export function program(name: string, debianPackage: string): SystemNeed {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return {
    name,
    debianPackage,
    found: () => folders.some((folder) => existsSync(join(folder, name))),
  };
}

/** The command that installs them. */
export function aptLine(missing: readonly SystemNeed[]): string {
  const packages = [...new Set(missing.map(({ debianPackage }) => debianPackage))];
  return `sudo apt-get install --no-install-recommends ${packages.join(' ')}`;
}

/**
 * ACPYPE with the AmberTools programs in its wheel (x86-64 only) and Open Babel's wheel. Both are pinned by digest in
 * acpype-requirements.txt.
 */
const ACPYPE_REQUIREMENTS = fileURLToPath(new URL('acpype-requirements.txt', import.meta.url));

function proveAcpype(folder: string): ReturnType<Recipe['prove']> {
  const said = outputOf(join(folder, 'bin', 'acpype'), ['--version']);
  const version = /AnteChamber PYthon Parser interfacE v\. (\S+)/.exec(said.text)?.[1];
  if (version === undefined) return { problem: `acpype --version said: ${said.text.trim()}` };
  const babel = outputOf(join(folder, 'bin', 'obabel'), ['-V']);
  return babel.ok ? { version } : { problem: `obabel -V said: ${babel.text.trim()}` };
}

export const ACPYPE: Recipe = {
  engine: 'acpype',
  size: '45 MB to download, 184 MB on disk',
  architectures: ['x64'],
  needs: [
    // sqm, which computes the bcc charges.
    library('libgfortran.so.5', 'libgfortran5'),
    library('libblas.so.3', 'libblas3'),
    library('liblapack.so.3', 'liblapack3'),
    library('libarpack.so.2', 'libarpack2'),
    // teLeap: the copy in the wheel needs libraries that no system has.
    library('libnetcdf.so.19', 'libnetcdf19'),
    program('ps', 'procps'),
  ],
  python: 'python3',
  environmentOptions: [],
  pipArguments: ['--require-hashes', '--only-binary=:all:', '--no-deps', '-r', ACPYPE_REQUIREMENTS],
  prove: proveAcpype,
};

/**
 * b2bTools without the gigabytes of CUDA that pip would install: PyTorch, scikit-learn, pandas and Biopython come from
 * Debian, and are visible in its environment. HMMER is for psper.
 */
const B2BTOOLS_REQUIREMENTS = fileURLToPath(new URL('b2btools-requirements.txt', import.meta.url));

/** Debian's Python, the only one that can use Debian's packages. */
const PYTHON = '/usr/bin/python3';

function module(name: string, debianPackage: string): SystemNeed {
  const find = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${name}") is None)`;
  return {
    name: `Python’s ${name}`,
    debianPackage,
    found: () => outputOf(PYTHON, ['-c', find]).ok,
  };
}

export const B2BTOOLS: Recipe = {
  engine: 'b2btools',
  size: '231 MB to download with Debian’s packages, 1.2 GB on disk',
  needs: [
    module('torch', 'python3-torch'),
    module('sklearn', 'python3-sklearn'),
    module('pandas', 'python3-pandas'),
    module('packaging', 'python3-packaging'),
    module('Bio', 'python3-biopython'),
    module('requests', 'python3-requests'),
    module('venv', 'python3-venv'),
    program('hmmsearch', 'hmmer'),
  ],
  python: PYTHON,
  environmentOptions: ['--system-site-packages'],
  pipArguments: [
    '--require-hashes',
    '--only-binary=:all:',
    '--no-deps',
    '-r',
    B2BTOOLS_REQUIREMENTS,
  ],
  prove: (folder) => {
    // Loads everything that a job needs and exits, as it gets no job.
    const said = outputOf(join(folder, 'bin', 'python'), [FORK_SERVER]);
    const version = /^\{"ready": "(.*)"\}$/m.exec(said.text)?.[1];
    return version === undefined ? { problem: lastLines(said.text, 1) } : { version };
  },
};
