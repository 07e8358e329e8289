/**
 * Runs Python scripts as the engines run: what a job may do to its process, without the engine. For the fork server,
 * which is the real one, a package that is imported like b2bTools and runs its first argument.
 */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WarmB2bTools } from '../../packages/local-services/src/engines/fork-server.ts';
import {
  runProgram,
  type Ended,
  type Running,
} from '../../packages/local-services/src/engines/process.ts';

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

/**
 * The folder of such a package.
 * @param files additional or other files of the package
 */
export function fakeB2bTools(files: Readonly<Record<string, string>> = {}): string {
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
  return folder;
}

/** How a job ended, and what it has printed so far. */
export interface Job {
  readonly end: Promise<Omit<Ended, 'output'>>;
  readonly log: () => string;
}

type Start = (script: string, running: Running, memoryMb?: number) => Job;

/** The two ways in which the real engines run a job, here a Python script. */
export interface Runner {
  readonly start: Start;
  readonly close: () => Promise<void>;
}

/** A process of its own, as for ACPYPE. */
function program(folder: string): Runner {
  const start: Start = (script, running, memoryMb = 1000) => {
    let log = '';
    const end = runProgram(
      {
        command: '/usr/bin/env',
        args: ['python3', '-u', '-c', script],
        environment: { PATH: process.env['PATH'] ?? '' },
        folder,
        memoryMb,
      },
      { ...running, onOutput: (bytes) => (log += Buffer.from(bytes).toString()) },
    );
    return { end, log: () => log };
  };
  return { start, close: () => Promise.resolve() };
}

/** A fork of a loaded process, as for b2bTools. */
function fork(folder: string): Runner {
  const b2bTools = new WarmB2bTools({ engine: 'b2btools', version: '0.0', folder, packages: {} });
  const start: Start = (script, running, memoryMb = 1000) => {
    const log = join(folder, `${randomUUID()}.log`);
    const job = { program: 'b2bTools', args: [script], folder, log, memoryMb } as const;
    const read = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');
    return { end: b2bTools.run(job, running), log: read };
  };
  return { start, close: () => b2bTools.close() };
}

export const RUNNERS = { program, fork } as const;
