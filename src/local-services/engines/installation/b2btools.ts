/**
 * b2bTools without the gigabytes of CUDA that pip would install: PyTorch, scikit-learn, pandas and Biopython come from
 * Debian, and are visible in its environment. HMMER is for psper.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FORK_SERVER } from '../real/b2btools/fork-server.ts';
import { program } from './needs.ts';
import { outputOf } from './python.ts';
import { lastLines } from '../../../program/problem.js';
import type { Recipe, SystemNeed } from './recipe.ts';

const REQUIREMENTS = fileURLToPath(new URL('b2btools-requirements.txt', import.meta.url));

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
  pipArguments: ['--require-hashes', '--only-binary=:all:', '--no-deps', '-r', REQUIREMENTS],
  prove: (folder) => {
    // Loads everything that a job needs and exits, as it gets no job.
    const said = outputOf(join(folder, 'bin', 'python'), [FORK_SERVER]);
    const version = /^\{"ready": "(.*)"\}$/m.exec(said.text)?.[1];
    return version === undefined ? { problem: lastLines(said.text, 1) } : { version };
  },
};
