/**
 * ACPYPE with the AmberTools programs that its wheel brings (x86-64 only) and Open Babel's wheel. Both are pinned by
 * digest in acpype-requirements.txt.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { library, program } from './needs.ts';
import { say } from './python.ts';
import type { Recipe } from './recipe.ts';

const REQUIREMENTS = fileURLToPath(new URL('acpype-requirements.txt', import.meta.url));

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
  pipArguments: ['--require-hashes', '--only-binary=:all:', '--no-deps', '-r', REQUIREMENTS],
  prove: (folder) => {
    const said = say(join(folder, 'bin', 'acpype'), ['--version']);
    const version = /AnteChamber PYthon Parser interfacE v\. (\S+)/.exec(said.text)?.[1];
    if (version === undefined) return { problem: `acpype --version said: ${said.text.trim()}` };
    const babel = say(join(folder, 'bin', 'obabel'), ['-V']);
    return babel.ok ? { version } : { problem: `obabel -V said: ${babel.text.trim()}` };
  },
};
