/** The notebook of the examples, executed as by a user, on the tree of a campaign that was just run. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { pythonEnvironment } from '../../scripts/python-environment.ts';
import { desk, ROOT } from '../cli/command.ts';

const NOTEBOOK = join(ROOT, 'examples', 'notebook', 'campaign.ipynb');
const EXECUTE = join(ROOT, 'scripts', 'notebook', 'execute.py');

const requirements = join(ROOT, 'examples', 'notebook', 'requirements.txt');
const environment = await pythonEnvironment('notebook', requirements);
const missing = 'missing' in environment ? environment.missing : '';

describe(`the notebook${missing === '' ? '' : ` (skipped: ${missing})`}`, () => {
  test.skipIf(missing !== '')(
    'reads the tables with pandas and DuckDB, and a molecule with OpenMM',
    async () => {
      if ('missing' in environment) throw new Error(environment.missing);
      const at = desk();
      await at.runs(0, ['init']);
      await at.runs(0, ['run', 'manifest.csv', '--services', 'local', '--name', 'demo']);
      const { stdout } = await promisify(execFile)(environment.python, [EXECUTE, NOTEBOOK], {
        cwd: at.folder,
        // Jupyter keeps its connection files in the home folder.
        env: { PATH: process.env['PATH'], HOME: at.folder },
      });
      const shown = JSON.parse(stdout) as Record<string, string>;
      expect(shown['tree']).toMatch(/^demo completed \{'total': 4, 'succeeded': 4/);
      // As long as the sequence of the starter manifest.
      expect(shown['residues']).toMatch(/^.*count +mean +max/);
      expect(shown['residues']).toMatch(/dendrotoxin +79 /i);
      expect(shown['sql']).toMatch(/dendrotoxin +succeeded +79 /);
      expect(shown['molecule']).toMatch(/^aspirin: 21 atoms, charge -?0\.00 e, -?\d+\.\d kJ\/mol/);
    },
  );
});
