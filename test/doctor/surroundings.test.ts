/** Warnings of `hundredfold doctor` about things that work. */
import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { surroundings } from '../../src/doctor/surroundings.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/domain/environment.ts';
import { desk, type Desk } from '../cli/command.ts';

const TOKEN = 'sAme-tw1ce';

async function warnings(at: Desk, env: NodeJS.ProcessEnv): Promise<string[]> {
  mkdirSync(at.path('results'));
  at.write(
    'hundredfold.yaml',
    `services:
  molecules: { url: "http://127.0.0.1:9/acpype" }
  predictions: { url: "http://127.0.0.1:9" }`,
  );
  const { stdout } = await at.runs(1, ['doctor', '--json'], { env });
  expect(stdout).not.toContain(TOKEN);
  const findings = JSON.parse(stdout) as { check: string; warning?: true; found: string }[];
  return findings
    .filter(({ check, warning }) => warning && check === 'credentials')
    .map(({ found }) => found);
}

describe('one token in two places', () => {
  test('is a warning with its fingerprint when both services use it', async () => {
    const [warning = '', ...more] = await warnings(desk(), {
      HUNDREDFOLD_MOLECULE_TOKEN: TOKEN,
      HUNDREDFOLD_PREDICTION_TOKEN: TOKEN,
    });
    expect(more).toEqual([]);
    expect(warning).toMatch(/\(credential [0-9a-f]{8}\)/);
    expect(warning).toContain('services.molecules.token and services.predictions.token');
  });

  test('is a warning that names both variables', async () => {
    const [warning = ''] = await warnings(desk(), {
      HUNDREDFOLD_MOLECULE_TOKEN: TOKEN,
      HUNDREDFOLD_PREDICTION_TOKEN: 'an0ther-one',
      OLD_TOKEN: TOKEN,
    });
    expect(warning).toContain('the variables ');
    expect(warning).toContain('OLD_TOKEN');
  });

  test('is not reported when the tokens differ', async () => {
    const env = {
      HUNDREDFOLD_MOLECULE_TOKEN: TOKEN,
      HUNDREDFOLD_PREDICTION_TOKEN: 'an0ther-one',
    };
    expect(await warnings(desk(), env)).toEqual([]);
  });
});

test('warns of variables of the Temporal CLI that are set but not used', () => {
  const words = (environment: Environment, settings = loadSettings(undefined, environment)) =>
    surroundings(settings, environment)
      .filter(({ check }) => check === 'Temporal variables')
      .map(({ found }) => found);
  expect(words({ TEMPORAL_ADDRESS: 'other.example:7233' })).toEqual([
    'TEMPORAL_ADDRESS is set and not used',
  ]);
  const asked = { TEMPORAL_ADDRESS: 'other:7233', HUNDREDFOLD_TEMPORAL_PROFILE: 'default' };
  expect(words(asked)).toEqual([]);
});
