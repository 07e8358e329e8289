/**
 * What `hundredfold.yaml` and variables of the environment give: the cases of `settings.jsonl`, with files beside. The
 * golden `settings.txt` has the settings of each, or its refusal. A changed line needs a sentence in its commit.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { loadSettings, type Settings } from '../../src/config/settings.ts';
import { HundredfoldError } from '../../src/domain/errors.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

interface Case {
  readonly yaml: string;
  /** `FOLDER` stands for that of the files. */
  readonly environment: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

function describeSettings({ temporal, services, storeUrl, embeddedDir, policy }: Settings): string {
  const { apiKey, ...server } = temporal ?? {};
  const shown = {
    temporal: temporal && { ...server, apiKey: apiKey?.reveal() },
    services: Object.values(services).map(({ url, reference, policy: budget }) => ({
      url,
      address: reference.address,
      budget,
    })),
    storeUrl,
    embeddedDir,
    policy,
  };
  return JSON.stringify(shown);
}

function load({ yaml, environment, files }: Case, folder: string): string {
  for (const [name, text] of Object.entries({ ...files, 'hundredfold.yaml': yaml }))
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  const variables = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace('FOLDER', folder),
  ]);
  // No file of the user who runs the tests is read.
  const home = { HOME: folder, XDG_CONFIG_HOME: folder };
  const all = { ...home, ...Object.fromEntries(variables) } as Case['environment'];
  try {
    return describeSettings(loadSettings(join(folder, 'hundredfold.yaml'), all));
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    expect(inspect(error)).not.toContain('hush');
    return `refused ${error.code}, exit ${error.exitCode}: ${error.message} | ${error.remedy}`;
  }
}

test('every configuration gives the settings of settings.txt, and no refusal shows a secret', async () => {
  const home = await temporaryFolder();
  const cases = readFileSync(join(import.meta.dirname, 'settings.jsonl'), 'utf8').trimEnd();
  const found: string[] = [];
  for (const [nth, line] of cases.split('\n').entries()) {
    const folder = join(home, String(nth));
    mkdirSync(folder);
    const told = load(JSON.parse(line) as Case, folder);
    found.push(line, `  ${told.replaceAll(`${folder}/`, '')}`);
  }
  await expect(`${found.join('\n')}\n`).toMatchFileSnapshot('settings.txt');
});
