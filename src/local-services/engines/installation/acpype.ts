/**
 * ACPYPE with the AmberTools programs in its wheel (x86-64 only) and Open Babel's wheel. Both are pinned by digest in
 * acpype-requirements.txt.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { library, program } from './needs.ts';
import { outputOf } from './python.ts';
import type { Recipe } from './recipe.ts';

const REQUIREMENTS = fileURLToPath(new URL('acpype-requirements.txt', import.meta.url));

function proveAcpype(folder: string): ReturnType<Recipe['prove']> {
  const said = outputOf(join(folder, 'bin', 'acpype'), ['--version']);
  const version = /AnteChamber PYthon Parser interfacE v\. (\S+)/.exec(said.text)?.[1];
  if (version === undefined) return { problem: `acpype --version said: ${said.text.trim()}` };
  const babel = outputOf(join(folder, 'bin', 'obabel'), ['-V']);
  return babel.ok ? { version } : { problem: `obabel -V said: ${babel.text.trim()}` };
}

const PIP = ['--require-hashes', '--only-binary=:all:', '--no-deps', '-r'];

/** The programs in its wheel include their own libraries, except for those of the compilers. */
const NEWER_REQUIREMENTS = fileURLToPath(
  new URL('acpype-2026.10.15-requirements.txt', import.meta.url),
);

/** Its wheel requires 3.12; Open Babel has no wheel for 3.14. */
const NEWER_PYTHONS = ['python3.13', 'python3.12', 'python3'];
const FITS = 'import sys; sys.exit(not (3, 12) <= sys.version_info < (3, 14))';

function fittingPython(): string | null {
  return NEWER_PYTHONS.find((python) => outputOf(python, ['-c', FITS]).ok) ?? null;
}

/** With AmberTools 26 and the charge model ABCG2. */
export const ACPYPE_2026: Recipe = {
  engine: 'acpype',
  version: '2026.10.15',
  size: '54 MB to download, 230 MB on disk',
  architectures: ['x64'],
  needs: [
    {
      name: 'a Python of version 3.12 or 3.13, as python3.13, python3.12 or python3 on PATH (Debian 12 has no such package: pyenv, for example, installs one without root)',
      debianPackage: 'python3.13-venv',
      found: () => fittingPython() !== null,
    },
    library('libgfortran.so.5', 'libgfortran5'),
    library('libblas.so.3', 'libblas3'),
    library('liblapack.so.3', 'liblapack3'),
    program('ps', 'procps'),
  ],
  python: fittingPython() ?? 'python3.13',
  environmentOptions: [],
  pipArguments: [...PIP, NEWER_REQUIREMENTS],
  prove: proveAcpype,
};

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
  pipArguments: [...PIP, REQUIREMENTS],
  prove: proveAcpype,
};
