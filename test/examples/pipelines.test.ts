/** The examples for Python, Snakemake and Nextflow, run as a user runs them, with results that are made up. */
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { snakemake, tableReaders } from '../../scripts/python-environment.ts';
import { BIN, type Desk, desk, ROOT } from '../cli/command.ts';

const run = promisify(execFile);
const EXAMPLES = join(ROOT, 'examples');
const MANIFEST = 'id,smiles,sequence,project\nethanol,CCO,,a\nbradykinin,,RPPGFSPFR,b\n';

/** A program that starts `hundredfold` by its name, in a folder with a manifest. */
async function runAt(at: Desk, program: string, args: readonly string[]) {
  at.write('night.csv', MANIFEST);
  at.write('bin/hundredfold', `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(at.path('bin', 'hundredfold'), 0o755);
  const { PATH, JAVA_HOME, TEMPORAL_CLI, XDG_RUNTIME_DIR } = process.env;
  const path = `${at.path('bin')}:${PATH ?? ''}`;
  const env = { JAVA_HOME, TEMPORAL_CLI, XDG_RUNTIME_DIR, HOME: at.folder, PATH: path };
  try {
    return await run(program, args, { cwd: at.folder, env });
  } finally {
    await at.runs(0, ['stop']);
  }
}

const readers = await tableReaders();
const noPandas = 'missing' in readers ? readers.missing : '';

const PROGRAM = `
import pandas as pd
from hundredfold import Hundredfold, HundredfoldError, ManifestRefusedError

client = Hundredfold(services="synthetic")
table = pd.read_csv("night.csv")
assert client.plan(table, name="night")["rows"] == 2
batch = client.watch(client.submit(table, name="night"))
print(batch, len(batch), batch.complete(), len(batch.succeeded()), len(batch.failed()))
print(batch.table("molecules")[["id", "project"]].values.tolist())
print(len(batch.table("residues")))
copy = batch.download_files("copy")
print(sorted(pd.read_csv(copy / "items.csv")["id"]))
try:
    client.submit(pd.DataFrame({"id": ["salt"], "smiles": ["[Na+].[Cl-]"]}), name="wrong")
except ManifestRefusedError as error:
    print(error.problems["code"].tolist())
try:
    client.find("nowhere")
except HundredfoldError as error:
    print(error.code)
`;

describe(`Python${noPandas === '' ? '' : ` (skipped: ${noPandas})`}`, () => {
  test.skipIf(noPandas !== '')('submits, watches, and reads results with pandas', async () => {
    if ('missing' in readers) throw new Error(readers.missing);
    const at = desk();
    cpSync(join(EXAMPLES, 'python', 'hundredfold.py'), at.path('hundredfold.py'));
    const { stdout } = await runAt(at, readers.python, ['-c', PROGRAM]);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'Batch(night: completed, 2 of 2 succeeded) 2 True 2 0',
      "[['ethanol', 'a']]",
      '9',
      "['bradykinin', 'ethanol']",
      expect.stringContaining('SMILES_SEVERAL_COMPONENTS'),
      'CAMPAIGN_UNKNOWN',
    ]);
  });
});

const workflows = await snakemake();
const noSnakemake = 'missing' in workflows ? workflows.missing : '';

describe(`Snakemake${noSnakemake === '' ? '' : ` (skipped: ${noSnakemake})`}`, () => {
  test.skipIf(noSnakemake !== '')(
    'runs a campaign as one step, and the next on its table',
    async () => {
      if ('missing' in workflows) throw new Error(workflows.missing);
      const at = desk();
      cpSync(join(EXAMPLES, 'snakemake', 'Snakefile'), at.path('Snakefile'));
      await runAt(at, workflows.python, ['-m', 'snakemake', '--cores', '1']);
      expect(readFileSync(at.path('molecules.csv'), 'utf8')).toMatch(/^id,.*\nethanol,/);
      expect(readFileSync(at.path('results', 'night', 'items.csv'), 'utf8')).toContain(
        'bradykinin',
      );
    },
  );
});

/** The packages of Java that Nextflow's own launcher opens, too. */
const OPENED = [
  ...['java.lang', 'java.io', 'java.nio', 'java.net', 'java.util', 'java.util.concurrent'],
  ...['java.util.regex', 'java.nio.file.spi', 'sun.nio.ch', 'sun.nio.fs'],
];

/** Fetched by Maven when it is needed for the first time: its own launcher wants a network of its own. */
async function nextflow(): Promise<{ readonly jars: string } | { readonly missing: string }> {
  const jars = join(ROOT, '.tools', 'nextflow-23.10.1');
  if (spawnSync('java', ['-version']).status !== 0) return { missing: 'there is no Java' };
  if (existsSync(jars)) return { jars };
  const pom = join(ROOT, 'scripts', 'pipeline-runners', 'pom.xml');
  const temporary = `${jars}.${process.pid}`;
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${temporary}`];
  try {
    await run('mvn', ['-q', '-B', '-f', pom, ...goal], { timeout: 180_000 });
    await rename(temporary, jars);
    return { jars };
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    return { missing: `Maven cannot fetch it: ${reason}` };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const flow = await nextflow();
const noNextflow = 'missing' in flow ? flow.missing : '';

describe(`Nextflow${noNextflow === '' ? '' : ` (skipped: ${noNextflow})`}`, () => {
  test.skipIf(noNextflow !== '')(
    'runs a campaign as one process, and the next on its table',
    async () => {
      if ('missing' in flow) throw new Error(flow.missing);
      const at = desk();
      cpSync(join(EXAMPLES, 'nextflow', 'main.nf'), at.path('main.nf'));
      const opened = OPENED.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
      const launcher = ['-cp', join(flow.jars, '*'), 'nextflow.cli.Launcher'];
      await runAt(at, 'java', [...opened, ...launcher, 'run', 'main.nf', '-offline']);
      expect(readFileSync(at.path('molecules.csv'), 'utf8')).toMatch(/^id,.*\nethanol,/);
      expect(readFileSync(at.path('results', 'night', 'items.csv'), 'utf8')).toContain(
        'bradykinin',
      );
    },
  );
});
