/** The Temporal connection: the keys under `temporal:`, profiles, and the variables of the Temporal CLI. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/domain/environment.ts';
import { Authority, noOpenssl } from '../temporal/certificates.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hundredfold-config-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, environment: Environment = {}) {
  const file = write('hundredfold.yaml', yaml);
  // No file of the user who runs the tests is read.
  return loadSettings(file, { HOME: folder, XDG_CONFIG_HOME: folder, ...environment }).temporal;
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const PROFILES = `
[profile.default]
address = "default.example:7233"
[profile.lab]
address = "lab.example:7233"
namespace = "lab"
api_key = "from-the-profile"
[profile.lab.tls]
server_name = "frontend.lab"
[profile.lab.grpc_meta]
x-team = "nmr"
[profile.empty]
namespace = "nowhere"
`;

describe('a profile', () => {
  test('is overridden by TEMPORAL_* variables, and these by our own keys and variables', () => {
    const TEMPORAL_CONFIG_FILE = write('temporal.toml', PROFILES);
    const found = load('temporal: { profile: lab }', { TEMPORAL_CONFIG_FILE });
    expect(found).toMatchObject({
      address: 'lab.example:7233',
      namespace: 'lab',
      tls: { serverName: 'frontend.lab' },
      metadata: { 'x-team': 'nmr' },
      profile: 'lab',
    });
    expect(found?.apiKey?.reveal()).toBe('from-the-profile');
    const environment = {
      TEMPORAL_CONFIG_FILE,
      TEMPORAL_ADDRESS: 'variable.example:7233',
      TEMPORAL_NAMESPACE: 'variable',
      TEMPORAL_API_KEY: 'from-the-variable',
      TEMPORAL_TLS_SERVER_NAME: 'variable.test',
    };
    const theirs = load('temporal: { profile: lab }', environment);
    expect(theirs).toMatchObject({
      address: 'variable.example:7233',
      namespace: 'variable',
      tls: { serverName: 'variable.test' },
    });
    expect(theirs?.apiKey?.reveal()).toBe('from-the-variable');
    const ours = load(
      'temporal: { profile: lab, namespace: mine, tls: { serverName: mine.test }, apiKey: { env: MINE } }',
      { ...environment, MINE: 'mine', HUNDREDFOLD_TEMPORAL_ADDRESS: 'mine.example:7233' },
    );
    expect(ours).toMatchObject({
      address: 'mine.example:7233',
      namespace: 'mine',
      tls: { serverName: 'mine.test' },
    });
    expect(ours?.apiKey?.reveal()).toBe('mine');
  });

  test('can be selected by a variable, ours or that of the Temporal CLI, and is not needed beside them', () => {
    const TEMPORAL_CONFIG_FILE = write('temporal.toml', PROFILES);
    const named = 'temporal: { profile: { env: TEMPORAL_PROFILE } }';
    expect(load(named, { TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE: 'lab' })?.profile).toBe('lab');
    expect(load(named, { TEMPORAL_CONFIG_FILE })?.address).toBe('default.example:7233');
    const ours = { TEMPORAL_CONFIG_FILE, HUNDREDFOLD_TEMPORAL_PROFILE: 'lab' };
    expect(load('', ours)?.address).toBe('lab.example:7233');
    const alone = { TEMPORAL_ADDRESS: 'variable.example:7233' };
    expect(load('temporal: { profile: default }', alone)).toMatchObject({
      address: 'variable.example:7233',
      namespace: 'default',
      tls: null,
    });
  });

  test('that does not exist, or names no server, is refused', () => {
    const TEMPORAL_CONFIG_FILE = write('temporal.toml', PROFILES);
    for (const [name, code] of [
      ['gone', 'CONFIG_PROFILE_INVALID'],
      ['empty', 'CONFIG_PROFILE_NO_ADDRESS'],
    ])
      expect(() => load(`temporal: { profile: ${name} }`, { TEMPORAL_CONFIG_FILE })).toThrow(
        expect.objectContaining({ code, exitCode: 2 }),
      );
  });
});

test('TEMPORAL_* variables alone do not move a campaign to another server', () => {
  const environment = {
    TEMPORAL_ADDRESS: 'variable.example:7233',
    TEMPORAL_API_KEY: 'for-another-server',
    TEMPORAL_CONFIG_FILE: write('temporal.toml', PROFILES),
    TEMPORAL_PROFILE: 'lab',
  };
  expect(load('', environment)).toBeNull();
  // Nor is the API key of one server sent to another.
  const own = load('temporal: { address: "own.example:7233" }', environment);
  expect(own).toMatchObject({ address: 'own.example:7233', apiKey: null, tls: null });
});

test.skipIf(noOpenssl !== null)(
  'certificates are loaded with their key; without it, with another or encrypted one, or without PEM they are refused',
  () => {
    const at = (tls: string) => load(`temporal: { address: "t.example:7233", tls: { ${tls} } }`);
    using authority = new Authority('ours');
    const [one, other] = [authority.issue('DNS:one'), authority.issue('DNS:other')];
    const found = at(`ca: ${authority.file}, cert: ${one.certFile}, key: ${one.keyFile}`);
    expect(found?.tls).toEqual({ ca: authority.cert, cert: one.cert, key: one.key });
    const locked = join(folder, 'locked.pem');
    const lock = ['pkey', '-in', one.keyFile, '-aes256', '-passout', 'pass:x', '-out', locked];
    execFileSync('openssl', lock);
    for (const [tls, code] of [
      [`cert: ${one.certFile}`, 'CONFIG_TLS_INCOMPLETE'],
      [`key: ${one.keyFile}`, 'CONFIG_TLS_INCOMPLETE'],
      [`cert: ${one.certFile}, key: ${other.keyFile}`, 'CONFIG_TLS_MISMATCH'],
      [`ca: ${write('ca.txt', 'no PEM')}`, 'CONFIG_TLS_INVALID'],
      [`cert: ${one.certFile}, key: ${locked}`, 'CONFIG_TLS_INVALID'],
    ] as const)
      expect(() => at(tls), tls).toThrow(expect.objectContaining({ code, exitCode: 2 }));
  },
);

test('the module of the payload codec is found beside the configuration, for the embedded server as well', () => {
  const yaml = write('hundredfold.yaml', 'temporal: { payloadCodec: ./codec.ts }');
  expect(loadSettings(yaml, {}).codec).toBe(join(folder, 'codec.ts'));
  expect(loadSettings(write('none.yaml', ''), {}).codec).toBeNull();
});
