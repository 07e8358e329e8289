/** The package as its users have it: installed without a network, read-only, and run to the end of a campaign. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/temporal/machine.ts';
import { Installed } from './installed.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let installed: Installed;
let before: readonly string[];
/** The embedded server of the suite: no download, no Python. */
const withCli = { TEMPORAL_CLI: process.env['TEMPORAL_CLI'] };

beforeAll(() => {
  installed = new Installed();
  before = installed.contents();
}, 240_000);

afterAll(() => {
  installed.close();
});

test('has no TypeScript but declarations, the licences of its dependencies, and its manual page', () => {
  const ours = ['src', 'packages'].flatMap((folder) =>
    readdirSync(join(installed.program, folder), { encoding: 'utf8', recursive: true }),
  );
  expect(ours.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
  expect(ours).toContain(join('runner', 'index.d.ts'));
  const modules = join(installed.program, 'node_modules');
  const packages = readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : name,
    );
  const licencesIn = (root: string) =>
    packages.flatMap((name) =>
      readdirSync(join(root, 'node_modules', name))
        .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
        .map((file) => join(name, file)),
    );
  expect(licencesIn(installed.program)).toEqual(licencesIn(ROOT));
  // man derives share/man from a folder bin of PATH.
  const page = join(installed.program, '..', '..', '..', 'share', 'man', 'man1', 'hundredfold.1');
  expect(readFileSync(page, 'utf8')).toContain('.SS "hundredfold run ');
});

test('contains its bill of materials', () => {
  const args = ['-xzOf', installed.tarball, 'package/sbom.cdx.json'];
  const { stdout } = spawnSync('tar', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const bom = JSON.parse(stdout) as { bomFormat: string; components: { name: string }[] };
  const names = bom.components.map(({ name }) => name);
  expect(bom.bomFormat).toBe('CycloneDX');
  expect(names).toEqual(expect.arrayContaining(['@temporalio/worker', 'fastify', 'zod']));
  expect(names).not.toContain('webpack');
});

test('loads every module, and finds its threads, bundles and recordings', () => {
  const script = join(import.meta.dirname, 'load-everything.js');
  const run = spawnSync(process.execPath, [script, installed.program], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  expect(run.stdout).toMatch(/^\d+ modules loaded\n$/);
});

test('runs a first campaign from an empty folder', async () => {
  const folder = installed.folder('first');
  expect((await installed.run(folder, ['init'])).code).toBe(0);
  const local = ['--services', 'local'];
  const ran = await installed.run(folder, ['run', 'manifest.csv', ...local, '--json'], withCli);
  expect(ran.code, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    state: 'completed',
    items: { total: 4, succeeded: 4 },
    submissions: 4,
    rejected429: 0,
  });
  expect(await installed.run(folder, ['report', 'first'])).toMatchObject({ code: 0 });
  expect(statSync(join(folder, 'results', 'first', 'report.html')).size).toBeGreaterThan(500_000);
  expect(await installed.run(folder, ['doctor', ...local], withCli)).toMatchObject({ code: 0 });
  await installed.run(folder, ['stop'], withCli);
});

test('is imported by programs, as the examples do (test/runner/examples.test.ts runs all of them)', async () => {
  const example = join(ROOT, 'examples', 'library', 'read-tree.ts');
  const tree = join(installed.folder('first'), 'results', 'first');
  const read = await installed.runProgram(installed.folder('library'), example, [tree], withCli);
  expect(read).toMatchObject({ code: 0, stderr: '' });
  expect(read.stdout).toContain('The tree is whole.');
});

test('has the local services', async () => {
  const port = await freePort(18_080);
  const words = ['services', '--port', String(port)];
  const services = installed.start(installed.folder('services'), words);
  const status = () =>
    fetch(`http://127.0.0.1:${port}/acpype/api/queue/${'0'.repeat(32)}/`).then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(status, { timeout: 30_000 }).toBe(404);
  services.child.kill('SIGTERM');
  expect((await services.ended).code).toBe(0);
});

test('is written into by none of these', () => {
  expect(installed.contents()).toEqual(before);
  expect(existsSync(join(installed.program, '.hundredfold'))).toBe(false);
});
