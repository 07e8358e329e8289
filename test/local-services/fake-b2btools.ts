/**
 * A package that is imported like b2bTools and runs its first argument as Python: what a job may do to its process,
 * without the engine. The fork server around it is the real one.
 */
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Installed } from '../../src/local-services/engines/real/installed.ts';

const MAIN = `
import sys

def main():
    exec(sys.argv[1])
`;
const MODELS = `
class DynaMine:
    reads = 0
    def __init__(self):
        self.modelDict, self.modelBias = {}, {}
        self.loadModels()
        self.adjustModels()
    def loadModels(self):
        DynaMine.reads += 1
    def adjustModels(self):
        pass
`;
const FILES: Readonly<Record<string, string>> = {
  'b2bTools/__main__.py': MAIN,
  'b2bTools/nmr/shiftCrypt/__main__.py': MAIN,
  'b2bTools/nmr/shiftCrypt/shiftCrypt.py': '',
  'b2bTools/singleSeq/DynaMine/Predictor.py': MODELS,
  'b2bTools/singleSeq/Predictor.py': '',
  'b2bTools/multipleSeq/Predictor.py': '',
  'b2bTools/multipleSeq/msa_core.py': '',
  'b2bTools/general/bmrb/File.py': '',
  'b2bTools_version/versioning.py': 'PYPI_VERSION = "0.0"',
  'pandas.py': '',
};

/** @param files additional or other files of the package */
export function fakeB2bTools(files: Readonly<Record<string, string>> = {}): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'fake-b2btools-'));
  const modules = join(folder, 'modules');
  const python = `#!/bin/sh\nPYTHONPATH="${modules}" exec /usr/bin/env python3 "$@"\n`;
  for (const [path, text] of Object.entries({ ...FILES, ...files })) {
    mkdirSync(dirname(join(modules, path)), { recursive: true });
    writeFileSync(join(modules, path), text);
  }
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'python'), python);
  chmodSync(join(folder, 'bin', 'python'), 0o755);
  return { engine: 'b2btools', version: '0.0', folder, packages: {} };
}
