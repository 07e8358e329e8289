/** The Temporal connection: its certificates and codec. Profiles and variables: test/goldens/settings.txt. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { Authority, noOpenssl } from '../temporal/certificates.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hundredfold-config-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string) {
  const file = write('hundredfold.yaml', yaml);
  // No file of the user who runs the tests is read.
  return loadSettings(file, { HOME: folder, XDG_CONFIG_HOME: folder }).temporal;
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

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
    for (const [tls, message] of [
      [`cert: ${one.certFile}, key: ${other.keyFile}`, 'cert and key: '],
      [`ca: ${write('ca.txt', 'no PEM')}`, `ca: ${folder}/ca.txt: `],
      [`cert: ${one.certFile}, key: ${locked}`, 'key: '],
      [`cert: ${write('empty.pem', '')}, key: ${one.keyFile}`, 'cert: '],
      [`cert: ${one.certFile}, key: ${folder}/empty.pem`, 'key: '],
    ] as const)
      expect(() => at(tls), tls).toThrow(
        expect.objectContaining({
          code: 'CONFIG_TLS_INVALID',
          message: expect.stringMatching(`^temporal.tls: ${message}`) as string,
          exitCode: 2,
        }),
      );
    const alone = expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error;
    expect(() => at(`cert: ${one.certFile}`)).toThrow(alone);
  },
);

test('the module of the payload codec is found beside the configuration, for the embedded server as well', () => {
  const yaml = write('hundredfold.yaml', 'temporal: { payloadCodec: ./codec.ts }');
  expect(loadSettings(yaml, {}).codec).toBe(join(folder, 'codec.ts'));
  expect(loadSettings(write('none.yaml', ''), {}).codec).toBeNull();
});
