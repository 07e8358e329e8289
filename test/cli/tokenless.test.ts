/** The next morning, in a shell without tokens: commands that submit nothing work, and open items stay open. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../src/temporal/ports.ts';
import { desk, type Desk, type Typed } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN, type Rehearsal } from './rehearsal.ts';

/** One job an hour: two of three items wait throughout a test. */
const HOURLY = { limit: 1, seconds: 3_600 };

/** A campaign of three items, one of them ended, in a background process. */
async function night(at: Desk): Promise<Rehearsal> {
  const service = await rehearse(at, HOURLY);
  peptides(at, 'night', 3);
  const run = ['run', 'night.csv', '--detach', '--yes'];
  await at.runs(0, run, { env: TOKEN });
  await vi.waitFor(() => expect(at.done('night')).toBe(1), { timeout: 30_000, interval: 100 });
  return service;
}

async function interrupted(watch: Typed): Promise<void> {
  watch.kill('SIGINT');
  await watch.endsWith(130);
}

interface Status {
  readonly items: Readonly<Record<string, number>>;
}

const statusOf = (stdout: string) => JSON.parse(stdout) as Status;

describe('a shell without tokens', () => {
  test('while a background process works: every command that submits nothing runs', async () => {
    const at = desk();
    const service = await night(at);
    // The campaign is notified up to a second after the end is on disk.
    const items = async () =>
      statusOf((await at.runs(0, ['status', 'night', '--json'])).stdout).items;
    await expect.poll(items).toMatchObject({ total: 3, succeeded: 1, failed: 0, held: 0 });
    await at.runs(0, ['items', 'night']);
    const { stdout: budget } = await at.runs(0, ['status']);
    expect(budget).toContain('1 of 1 used');
    await at.runs(0, ['pause', 'night']);
    await at.runs(0, ['resume', 'night']);
    const watch = at.type(['watch', 'night']);
    await watch.says('1 of 3');
    await interrupted(watch);
    await at.runs(0, ['stop']);
    expect(await service.end()).toHaveLength(1);
  });

  test('without a running process: reads, controls, and finishes the campaign with its tables', async () => {
    const at = desk();
    await night(at);
    await at.runs(0, ['stop']);
    const { stdout: status } = await at.runs(0, ['status', 'night']);
    expect(status).toContain('night');
    expect(status).toContain('Nothing is working on it.');
    expect(status).not.toContain('end expected');
    await at.runs(0, ['pause', 'night']);
    await at.runs(0, ['resume', 'night']);
    const watch = at.type(['watch', 'night']);
    await watch.says('HUNDREDFOLD_PREDICTION_TOKEN is not set');
    await watch.says('1 of 3');
    await interrupted(watch);
    const { stdout } = await at.runs(0, ['status', 'night', '--json']);
    expect(statusOf(stdout).items).toMatchObject({ succeeded: 1, failed: 0, held: 0 });
    await at.runs(0, ['cancel', 'night']);
    const { stdout: items } = await at.runs(0, ['items', 'night', '--json']);
    expect(items.match(/"cancelled"/g)).toHaveLength(2);
    await at.runs(0, ['report', 'night']);
  });

  test('plan checks and forecasts, and says that the charges of the credential are unknown', async () => {
    const at = desk();
    await night(at);
    await at.runs(0, ['stop']);
    peptides(at, 'next', 2);
    const { stdout, stderr } = await at.runs(0, ['plan', 'next.csv', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ submissions: 2, problems: [] });
    expect(stderr).toMatch(
      /Cannot read how much of your budget at predictions is used: .*HUNDREDFOLD_PREDICTION_TOKEN/,
    );
    const text = await at.runs(0, ['plan', 'next.csv']);
    expect(text.stderr).toContain('Cannot read how much of your budget at predictions is used; ');
    const shown = text.stdout + text.stderr;
    expect(shown.match(/HUNDREDFOLD_PREDICTION_TOKEN is not set/g), 'once').toHaveLength(1);
  });

  test('plan and run of a finished campaign say nothing about its services', async () => {
    const at = desk();
    const service = await rehearse(at, { limit: 5, seconds: 60 });
    peptides(at, 'night', 2);
    await at.runs(0, ['run', 'night.csv'], { env: TOKEN });
    const { stdout, stderr } = await at.runs(0, ['plan', 'night.csv']);
    expect(stdout).toContain('done               2');
    expect(stderr).not.toContain('Cannot read how much');
    await service.end();
    const again = await at.runs(0, ['run', 'night.csv'], { env: TOKEN });
    expect(again.stderr).toContain('Nothing to do');
    expect(again.stderr).not.toContain('waits until the service works');
  });

  test('a worker without the token does not change items that wait for a submission', async () => {
    const at = desk();
    const url = `http://127.0.0.1:${await freePort()}`;
    at.write('hundredfold.yaml', `services: { predictions: { url: "${url}" } }`);
    peptides(at, 'night', 3);
    await at.runs(0, ['run', 'night.csv', '--detach', '--yes'], { env: TOKEN });
    await at.runs(0, ['stop']);
    const watch = at.type(['watch', 'night']);
    await watch.says('0 of 3');
    // Meanwhile the budget offers its slots to this worker.
    await delay(4_000);
    await interrupted(watch);
    const { stdout } = await at.runs(0, ['status', 'night', '--json']);
    expect(statusOf(stdout).items).toMatchObject({ total: 3, failed: 0, held: 0, cancelled: 0 });
  });

  test('run is refused before anything is written', async () => {
    const at = desk();
    at.write('hundredfold.yaml', 'services: { predictions: { url: "http://127.0.0.1:9" } }');
    peptides(at, 'next', 2);
    const { stderr } = await at.runs(2, ['run', 'next.csv']);
    expect(stderr).toContain('CONFIG_SECRET_MISSING');
  });

  test('`status` runs without the token file', async () => {
    const at = desk();
    const predictions = '{ url: "http://127.0.0.1:9", token: { file: gone } }';
    at.write('hundredfold.yaml', `services: { predictions: ${predictions} }`);
    await at.runs(0, ['status']);
  });
});
