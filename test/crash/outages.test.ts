/** The dependencies of a campaign go away and return: no promise is broken, and no item fails because of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, type TestContext } from 'vitest';
import { temporalCli } from '../../src/temporal/cli.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import {
  portOf,
  startDevServer,
  stopDevServer,
  type DevServer,
} from '../../src/temporal/dev-server.ts';
import { endProcess } from '../../src/temporal/processes.ts';
import { itemsTable } from '../promises.ts';
import { molecules, sequences } from '../rig.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { startProxy, type ProxyMode } from './proxy.ts';
import { Scene, type SceneOptions, type Started } from './scene.ts';
import type { DiskState } from './unwilling-disk.ts';

const PATIENCE = { timeout: 180_000 };
const SEQUENCES = 14;

async function open(context: TestContext, options: SceneOptions = {}): Promise<Scene> {
  const scene = await Scene.open(options);
  context.onTestFinished(() => scene.close());
  return scene;
}

async function everythingSucceeds(scene: Scene, ...campaigns: readonly Started[]): Promise<void> {
  for (const campaign of campaigns) {
    await scene.end(campaign);
    const rows = await itemsTable(campaign.folder);
    expect(
      rows.filter(({ state }) => state !== 'succeeded'),
      'items that did not succeed',
    ).toEqual([]);
  }
  await scene.keepsPromises(...campaigns);
}

/** A separate Temporal server, on a database file, that can be killed and restarted. */
class OwnTemporal {
  readonly #dir: string;
  #server: DevServer;

  private constructor(dir: string, server: DevServer) {
    this.#dir = dir;
    this.#server = server;
  }

  static async start(context: TestContext): Promise<OwnTemporal> {
    const dir = await mkdtemp(join(tmpdir(), 'hundredfold-outage-'));
    const server = await begin(dir, await freePort());
    const own = new OwnTemporal(dir, server);
    context.onTestFinished(() => own.end());
    const client = await connectClient({ address: server.address, namespace: 'default' });
    await registerSearchAttributes(client);
    await client.connection.close();
    return own;
  }

  get address(): string {
    return this.#server.address;
  }

  async kill(): Promise<void> {
    await endProcess(this.#server.pid, 'SIGKILL', 5_000);
  }

  async startAgain(): Promise<void> {
    const { address } = this;
    this.#server = await begin(this.#dir, portOf(address));
    expect(this.address, 'where it is again').toBe(address);
  }

  async end(): Promise<void> {
    await stopDevServer(this.#server);
    await rm(this.#dir, { recursive: true, force: true });
  }
}

function begin(dir: string, port: number): Promise<DevServer> {
  return startDevServer({ executable: temporalCli(), dir, port, headless: true });
}

describe.concurrent('the Temporal server', () => {
  test('is killed twice and restarted on its database', PATIENCE, async (context) => {
    const temporal = await OwnTemporal.start(context);
    const scene = await open(context, { temporal: temporal.address });
    await scene.worker().ready;
    const started = await scene.start(sequences(SEQUENCES));
    for (const jobs of [3, 8]) {
      await scene.untilAccepted(jobs);
      await temporal.kill();
      await delay(500);
      await temporal.startAgain();
    }
    await everythingSucceeds(scene, started);
  });

  test(
    'is killed with worker and services, as in a power cut, and all are restarted',
    PATIENCE,
    async (context) => {
      const temporal = await OwnTemporal.start(context);
      const scene = await open(context, { temporal: temporal.address });
      const worker = scene.worker();
      await worker.ready;
      const started = await scene.start(sequences(SEQUENCES));
      await scene.untilAccepted(7);
      await Promise.all([temporal.kill(), worker.kill(), scene.stopServices()]);
      await temporal.startAgain();
      await scene.startServices();
      await scene.worker().ready;
      await everythingSucceeds(scene, started);
    },
  );
});

describe.concurrent('the services', () => {
  test('are restarted and have kept their jobs', PATIENCE, async (context) => {
    const scene = await open(context);
    await scene.worker().ready;
    const started = await scene.start(sequences(SEQUENCES));
    await scene.untilAccepted(6);
    await scene.stopServices();
    await delay(1_500);
    await scene.startServices();
    await everythingSucceeds(scene, started);
  });

  test(
    'are restarted and have lost their jobs: those fail as lost, the others continue',
    PATIENCE,
    async (context) => {
      const scene = await open(context, { jobMs: 1_500 });
      await scene.worker().ready;
      const started = await scene.start(sequences(SEQUENCES));
      await scene.untilAccepted(5);
      await delay(200);
      await scene.stopServices({ forget: true });
      await scene.startServices();
      await scene.end(started);
      const rows = await itemsTable(started.folder);
      const failed = rows.filter(({ state }) => state !== 'succeeded');
      expect(failed.length, 'jobs that were lost').toBeGreaterThanOrEqual(5);
      for (const item of failed)
        expect(item).toMatchObject({ state: 'failed', error_code: 'JOB_LOST' });
      expect(rows.length - failed.length, 'jobs after that').toBeGreaterThan(0);
      await scene.keepsPromises(started);
    },
  );

  test(
    'are down for a long time: nothing fails, and they are not flooded',
    PATIENCE,
    async (context) => {
      const scene = await open(context);
      await scene.worker().ready;
      const started = await scene.start([...sequences(SEQUENCES), ...molecules(3)]);
      await scene.untilAccepted(4);
      const before = scene.journal().length;
      // First reachable, but unable; then gone.
      scene.services.faults.set([{ name: 'error', status: 503 }]);
      await delay(2_500);
      scene.services.faults.set([{ name: 'refuse' }]);
      await delay(2_500);
      expect(scene.journal().length - before, 'submissions to a service that is down').toBeLessThan(
        15,
      );
      scene.services.faults.clear();
      await everythingSucceeds(scene, started);
    },
  );
});

const CUTS: readonly ProxyMode[] = ['reset', 'hang', 'half-open'];

describe.concurrent('the network', () => {
  test.for(CUTS)(
    'to the services is cut (%s) in the middle of a burst',
    PATIENCE,
    async (cut, context) => {
      const port = await freePort();
      const proxy = await startProxy(port);
      context.onTestFinished(() => proxy.close());
      const scene = await open(context, { port, servicesPort: proxy.port });
      await scene.worker().ready;
      const started = await scene.start(sequences(SEQUENCES));
      for (const jobs of [1, 6]) {
        await scene.untilAccepted(jobs);
        proxy.set(cut);
        await delay(1_200);
        proxy.set('pass');
      }
      await everythingSucceeds(scene, started);
    },
  );

  test.for(CUTS)(
    'to Temporal is cut (%s) for longer than a heartbeat',
    PATIENCE,
    async (cut, context) => {
      const own = await OwnTemporal.start(context);
      const proxy = await startProxy(portOf(own.address));
      context.onTestFinished(() => proxy.close());
      const scene = await open(context, {
        temporal: own.address,
        temporalOfWorkers: `127.0.0.1:${proxy.port}`,
      });
      await scene.worker().ready;
      const started = await scene.start(sequences(SEQUENCES));
      await scene.untilAccepted(3);
      proxy.set(cut);
      await delay(6_000);
      proxy.set('pass');
      await everythingSucceeds(scene, started);
    },
  );
});

describe.concurrent('the disk', () => {
  const STATES: readonly DiskState[] = ['ENOSPC', 'EROFS'];

  test.for(STATES)(
    'accepts no writes for a while (%s): no item fails',
    PATIENCE,
    async (state, context) => {
      const scene = await open(context);
      const worker = scene.worker();
      await worker.ready;
      const started = await scene.start([...sequences(8), ...molecules(3)]);
      await scene.untilAccepted(4);
      await worker.disk(state);
      await delay(3_000);
      expect(await worker.disk('ok'), 'writes that were refused').toBeGreaterThan(0);
      await everythingSucceeds(scene, started);
    },
  );
});

describe.concurrent('two campaigns on one credential, from two workers', () => {
  test(
    'share the window, also when one worker is killed and the other frozen for a while',
    PATIENCE,
    async (context) => {
      const scene = await open(context);
      const [first, second] = [scene.worker(), scene.worker()];
      await Promise.all([first.ready, second.ready]);
      const rows = sequences(2 * SEQUENCES);
      const campaigns = [
        await scene.start(rows.slice(0, SEQUENCES)),
        await scene.start(rows.slice(SEQUENCES)),
      ];
      await scene.untilAccepted(7);
      await first.kill();
      await scene.untilAccepted(12);
      const third = scene.worker();
      await third.ready;
      second.freeze();
      await delay(2_000);
      second.thaw();
      await everythingSucceeds(scene, ...campaigns);
    },
  );
});
