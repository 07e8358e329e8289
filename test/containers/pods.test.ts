import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { noItemLost, treeIsWhole } from '../promises.ts';
import { build, podman, WHY_NOT, type Ended } from './engine.ts';
import { kustomize, rendered } from './kustomize.ts';

const PREFIX = `hundredfold-${process.pid}`;
const TEMPORAL = `${PREFIX}-temporal`;
const STANDALONE = 'localhost/hundredfold:test';
const without = WHY_NOT ?? (kustomize === null ? 'no kustomize' : null);

type Documents = any[];

/** Unique names: a volume of another user must neither be used nor removed. */
function documents(name: string): Documents {
  const text = rendered(name).replaceAll(/\bhundredfold-(?!\d)/g, `${PREFIX}-`);
  return parseAllDocuments(text).map((one) => one.toJS());
}

/**
 * Differences of Podman from Kubernetes: it runs httpGet probes with the curl of the image, which has none; it opens
 * container ports on the host; version 4.3 leaves data of secrets in base64, does not support Job, and has one pod per
 * Deployment. Secrets are for `keep`.
 */
function forPodman(all: Documents): Documents {
  return all.flatMap((one) => {
    switch (one.kind) {
      case 'ConfigMap':
      case 'PersistentVolumeClaim':
        return [one];
      case 'Deployment':
      case 'Job': {
        const { metadata, spec } = one.spec.template;
        const name = one.metadata.name;
        const containers = spec.containers.map((container: object) =>
          Object.fromEntries(
            Object.entries(container).filter(([key]) => !/Probe$|^ports$/.test(key)),
          ),
        );
        return [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { ...metadata, name },
            spec: { ...spec, containers },
          },
        ];
      }
      default:
        return [];
    }
  });
}

describe.skipIf(without !== null)(`pods of deploy/kubernetes (${without ?? 'played'})`, () => {
  let folder: string;
  const played: string[] = [];
  const secrets: string[] = [];

  /** @param alias a name of it in the network, as for a Service */
  async function play(name: string, all: Documents, alias = name): Promise<void> {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, all.map((one) => stringify(one)).join('---\n'));
    played.push(file);
    const network = `${PREFIX}:alias=${alias}`;
    const { code, stderr } = await podman('kube', 'play', '--network', network, file);
    if (code !== 0) throw new Error(stderr);
  }

  async function must(...args: readonly string[]): Promise<Ended> {
    const ended = await podman(...args);
    if (ended.code !== 0) throw new Error(`podman ${args.join(' ')}\n${ended.stderr}`);
    return ended;
  }

  /** Podman 4.3 mounts `data` unchanged; only `kube play` would check that it is base64. */
  async function keep(secret: any): Promise<void> {
    const plain = Object.entries<string>(secret.data).map(([key, value]) => [key, atob(value)]);
    const file = join(folder, `${secret.metadata.name}.secret.yaml`);
    writeFileSync(file, stringify({ ...secret, data: Object.fromEntries(plain) }));
    await must('secret', 'create', secret.metadata.name, file);
    secrets.push(secret.metadata.name);
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hundredfold-pods-'));
    build('standalone', STANDALONE);
    build('cluster', 'localhost/hundredfold:0.1.0-cluster');
    await must('network', 'create', PREFIX);
    // The address of hundredfold.yaml.
    const network = ['--network', PREFIX, '--network-alias', 'temporal-frontend.temporal'];
    const image = ['--entrypoint', 'temporal', STANDALONE];
    const server = ['server', 'start-dev', '--ip', '0.0.0.0', '--headless', '--log-level', 'error'];
    await must('run', '--detach', '--name', TEMPORAL, ...network, ...image, ...server);
  }, 600_000);

  afterAll(async () => {
    for (const file of played.toReversed()) await podman('kube', 'down', file);
    await podman('rm', '--force', '--volumes', '--ignore', TEMPORAL);
    // Also those of secrets and configuration, which `kube down` leaves behind.
    const { stdout } = await podman('volume', 'ls', '--quiet');
    for (const name of stdout.split('\n').filter((one) => one.startsWith(`${PREFIX}-`)))
      await podman('volume', 'rm', '--force', name);
    for (const name of secrets) await podman('secret', 'rm', name);
    await podman('network', 'rm', '--force', PREFIX);
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  test('worker, local services and campaign finish a campaign together', async () => {
    const all = documents('local-services');
    for (const secret of all.filter(({ kind }) => kind === 'Secret')) await keep(secret);
    const base = forPodman(all);
    const isServices = (one: any): boolean =>
      one.metadata.name === `${PREFIX}-services` && one.kind !== 'ConfigMap';
    await play(`${PREFIX}-services`, base.filter(isServices));
    await play(
      `${PREFIX}-worker`,
      base.filter((one) => !isServices(one)),
    );
    // As in the workers.
    const config = base.find(({ kind }) => kind === 'ConfigMap').data;
    const job = forPodman(documents('campaign')).map((one) =>
      'hundredfold.yaml' in (one.data ?? {}) ? { ...one, data: config } : one,
    );
    await play(`${PREFIX}-campaign`, named(job, secrets));

    const container = `${PREFIX}-campaign-campaign`;
    const { stdout: exit } = await must('wait', container);
    const log = async (name: string) => (await podman('logs', name)).stderr;
    const logs = `${await log(container)}\n${await log(`${PREFIX}-worker-worker`)}`;
    expect(Number(exit), logs).toBe(0);
    const { stdout } = await must(
      'volume',
      'inspect',
      '--format',
      '{{.Mountpoint}}',
      `${PREFIX}-results`,
    );
    const tree = join(folder, 'night');
    cpSync(join(stdout.trim(), 'results', 'night'), tree, { recursive: true });
    await treeIsWhole(tree);
    await noItemLost(tree, ['aspirin', 'hemoglobin_alpha']);
    // A worker drains when it is stopped.
    await must('stop', '--time', '60', `${PREFIX}-worker-worker`);
    const state = ['inspect', '--format', '{{.State.ExitCode}}', `${PREFIX}-worker-worker`];
    expect((await must(...state)).stdout.trim()).toBe('0');
  }, 300_000);
});

/** Secrets of kustomize have a digest suffix in their name; those of a user do not. */
function named(all: Documents, secrets: readonly string[]): Documents {
  return all.map((one) => {
    if (one.kind !== 'Pod') return one;
    const volumes = one.spec.volumes.map((volume: any) => {
      const name = secrets.find((secret) => secret.startsWith(volume.secret?.secretName ?? ' '));
      return name === undefined
        ? volume
        : { ...volume, secret: { ...volume.secret, secretName: name } };
    });
    return { ...one, spec: { ...one.spec, volumes } };
  });
}
