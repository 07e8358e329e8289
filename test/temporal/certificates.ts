/** Certificates made for one test by openssl: an authority, and the certificates that it issues. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Issued {
  readonly cert: string;
  readonly key: string;
  /** Their files. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** null, or why no certificates can be created here. */
export const noOpenssl = ((): string | null => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'openssl is not on PATH';
  }
})();

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export class Authority implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'hundredfold-certificates-'));
  readonly file = join(this.#folder, 'ca.pem');
  #count = 0;

  constructor(name: string) {
    const key = join(this.#folder, 'ca-key.pem');
    const files = ['-keyout', key, '-out', this.file];
    openssl('req', '-x509', ...EC, ...files, '-days', '2', '-subj', `/CN=${name}`);
  }

  get cert(): string {
    return readFileSync(this.file, 'utf8');
  }

  /** @param names as openssl writes them: `DNS:temporal.test,IP:127.0.0.1` */
  issue(names: string, { expired = false } = {}): Issued {
    this.#count += 1;
    const path = (name: string): string => join(this.#folder, `${this.#count}-${name}`);
    const [keyFile, certFile] = [path('key.pem'), path('cert.pem')];
    openssl('req', ...EC, '-keyout', keyFile, '-out', path('request.pem'), '-subj', '/CN=test');
    writeFileSync(path('extensions'), `subjectAltName=${names}\n`);
    openssl(
      ...['x509', '-req', '-in', path('request.pem'), '-CA', this.file],
      ...['-CAkey', join(this.#folder, 'ca-key.pem'), '-set_serial', String(this.#count)],
      ...['-days', expired ? '-1' : '2', '-out', certFile, '-extfile', path('extensions')],
    );
    const read = (file: string): string => readFileSync(file, 'utf8');
    return { cert: read(certFile), key: read(keyFile), certFile, keyFile };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
