/** `hundredfold init`: its files can be run unchanged, and the user's files are not touched. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { schemaFiles } from '../../scripts/schemas.ts';
import { STARTER } from '../../src/cli/commands/init.ts';
import { configSchema } from '../../src/config/schema.ts';
import { KINDS } from '../../src/domain/item.ts';
import { readManifests } from '../manifest/manifests.ts';
import { desk, ROOT } from './command.ts';

/** The last two lines of output, as a user copies them into a shell; npx is the one of the tests. */
function typedAsSaid(stderr: string, cwd: string): string {
  const commands = stderr.split('\n').filter((line) => /^ {2}(cd|npx) /.test(line));
  const script = commands.map((line) => line.trim()).join(' && ');
  const env = { PATH: process.env['PATH'], HOME: cwd, npm_config_update_notifier: 'false' };
  return execFileSync('sh', ['-c', `${script} 2>&1`], { cwd, encoding: 'utf8', env });
}

test('writes a folder whose campaign finishes with the printed command', async () => {
  const at = desk();
  const { stderr, stdout } = await at.runs(0, ['init', "a new place's folder"]);
  expect(stdout).toBe('');
  for (const name of Object.keys(STARTER)) expect(stderr).toContain(`\n  ${name}\n`);
  const folder = at.path("a new place's folder");
  const { problems, items } = await readManifests([join(folder, 'manifest.csv')]);
  expect(problems).toEqual([]);
  expect(items.map(({ kind }) => kind)).toEqual(KINDS);
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
  expect(stderr).not.toContain('\n  cd ');
  expect(readFileSync(at.path('manifest.csv'), 'utf8')).toBe('id,smiles\nmine,CCO\n');
  expect(readdirSync(at.folder).sort()).toEqual(
    ['files', 'hundredfold.yaml', 'manifest.csv', 'notes.txt', 'schemas'].sort(),
  );
  expect((await at.runs(0, ['init', '.'])).stderr).not.toContain('Written');
  const refused = await at.runs(1, ['init', 'notes.txt/deeper']);
  expect(refused.stderr).toMatch(/notes\.txt.*\[CONFIG_NOT_WRITTEN\]/);
  expect(readFileSync(at.path('notes.txt'), 'utf8')).toBe('mine');
});

describe('the configuration of init', () => {
  const text = readFileSync(join(ROOT, STARTER['hundredfold.yaml'] ?? ''), 'utf8');
  /** Removes comments as an editor does; prose stays, and so does text after a key. */
  const setAll = text.replace(/^# (?=(?: {2})*(?:[a-zA-Z]+:(?: |$)|# ))/gm, '');

  interface Node {
    readonly anyOf?: readonly Node[];
    readonly properties?: Readonly<Record<string, Node>>;
    readonly default?: unknown;
  }

  /** Key → its default, if it has one. */
  function keysOf(node: Node, path: readonly string[] = []): [string, unknown][] {
    return Object.entries(node.properties ?? {}).flatMap(([key, child]): [string, unknown][] =>
      child.properties
        ? keysOf(child, [...path, key])
        : [[[...path, key].join('.'), child.default]],
    );
  }

  test('contains every key with its default when the # are removed', async () => {
    expect(parse(text), 'it sets no key').toBeNull();
    const schema = JSON.parse((await schemaFiles())['config.schema.json'] ?? '') as Node;
    const config: unknown = parse(setAll);
    expect(configSchema.safeParse(config).error?.issues ?? []).toEqual([]);
    expect(new Ajv({ strict: false }).validate(schema, config)).toBe(true);
    const keys = keysOf(schema);
    expect(keys.length).toBeGreaterThan(15);
    for (const [path, byDefault] of keys) {
      const value = path
        .split('.')
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], config);
      expect({ path, value }).not.toEqual({ path, value: undefined });
      if (byDefault !== undefined) expect({ path, value }).toEqual({ path, value: byDefault });
    }
  });

  test('shows both next steps, names the schema beside it, and contains no token', () => {
    expect(text).toContain('--services local');
    expect(text).toMatch(/^# services:$/m);
    const schema = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text.split('\n')[0] ?? '');
    expect(Object.keys(STARTER)).toContain(schema?.[1]);
    const tokens = [...text.matchAll(/\b(?:token|apiKey): (.*)$/gm)].map(([, value]) => value);
    expect(tokens).toHaveLength(4);
    for (const token of tokens) expect(token).toMatch(/^\{ env: [A-Z_]+ \}$/);
  });
});
