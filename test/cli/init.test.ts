/** `hundredfold init`: its files can be run unchanged, and the user's files are not touched. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { schemaFiles } from '../../scripts/schemas.ts';
import { STARTER } from '../../src/cli/commands/init.ts';
import { configSchema } from '../../src/config/schema.ts';
import { readManifests } from '../manifest/manifests.ts';
import { desk, ROOT } from './command.ts';
import { listKindNames } from '../../src/kinds/registry.ts';

/** The last two lines of output, as a user copies them into a shell; npx is the one of the tests. */
function typedAsSaid(stderr: string, cwd: string): string {
  const commands = stderr.split('\n').filter((line) => /^ {2}(cd|npx) /.test(line));
  const script = commands.map((line) => line.trim()).join(' && ');
  const env = { PATH: process.env['PATH'], HOME: cwd, npm_config_update_notifier: 'false' };
  return execFileSync('sh', ['-c', `${script} 2>&1`], { cwd, encoding: 'utf8', env });
}

test('writes a folder whose campaign finishes with the printed command', async () => {
  const at = desk();
  const { stderr } = await at.runs(0, ['init', "a new place's folder"]);
  const folder = at.path("a new place's folder");
  const { problems, items } = await readManifests([join(folder, 'manifest.csv')]);
  expect(problems).toEqual([]);
  expect(items.map(({ kind }) => kind)).toEqual(listKindNames());
  expect(typedAsSaid(stderr, at.folder)).toMatch(/4 of 4 succeeded/);
});

test('keeps existing files, says so, and adds the rest; a folder that is a file is refused', async () => {
  const at = desk();
  at.write('manifest.csv', 'id,smiles\nmine,CCO\n');
  at.write('notes.txt', 'mine');
  // A dangling link: writing through it would create a file elsewhere.
  symlinkSync('elsewhere.yaml', at.path('hundredfold.yaml'));
  const { stderr } = await at.runs(0, ['init']);
  const [written = '', left = ''] = stderr.split('Not changed');
  expect(left).toMatch(/^, because .*:\n {2}hundredfold\.yaml\n {2}manifest\.csv\nNext/);
  expect(written).not.toMatch(/hundredfold\.yaml|manifest\.csv/);
  expect(written).toContain('files/gst2.fasta');
  // In a folder inside a checkout, npx must be told where it is.
  expect(stderr).toContain(`\n  npx --prefix ${ROOT} hundredfold run manifest.csv `);
  expect(readFileSync(at.path('manifest.csv'), 'utf8')).toBe('id,smiles\nmine,CCO\n');
  const files = ['files', 'hundredfold.yaml', 'manifest.csv', 'notes.txt', 'schemas'];
  expect(readdirSync(at.folder).sort()).toEqual(files);
  const refused = await at.runs(1, ['init', 'notes.txt/deeper']);
  expect(refused.stderr).toMatch(/notes\.txt.*\[CONFIG_NOT_WRITTEN\]/);
  expect(readFileSync(at.path('notes.txt'), 'utf8')).toBe('mine');
});

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly default?: unknown;
}

/** Path of a key → its default, if it has one. */
function keysOf(node: Node, path = ''): [string, unknown][] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]): [string, unknown][] =>
    child.properties ? keysOf(child, `${path}${key}.`) : [[path + key, child.default]],
  );
}

test('the configuration sets nothing, and has every key with its default when the # are removed', async () => {
  const text = readFileSync(join(ROOT, STARTER['hundredfold.yaml'] ?? ''), 'utf8');
  expect(parse(text)).toBeNull();
  // Removes comments as an editor does; prose stays, and so does text after a key.
  const config: unknown = parse(text.replace(/^# (?=(?: {2})*(?:[a-zA-Z]+:(?: |$)|# ))/gm, ''));
  expect(configSchema.safeParse(config).error?.issues ?? []).toEqual([]);
  const keys = keysOf(
    JSON.parse((await schemaFiles())['schemas/config.schema.json'] ?? '') as Node,
  );
  expect(keys.length).toBeGreaterThan(15);
  for (const [path, byDefault] of keys) {
    const value = path
      .split('.')
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], config);
    expect(value, path).not.toBeUndefined();
    if (byDefault !== undefined) expect(value, path).toEqual(byDefault);
  }
  const tokens = [...text.matchAll(/\b(?:token|apiKey): (.*)$/gm)].map(([, value]) => value);
  expect(tokens).toHaveLength(3);
  for (const token of tokens) expect(token).toMatch(/^\{ env: [A-Z_]+ \}$/);
});
