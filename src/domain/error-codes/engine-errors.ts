/** Errors of the real engines. The table is in docs/engines.md; the local services have the texts. */
import type { ErrorTable } from './error-entry.ts';

const OUTPUT = { exit: 'usage', advice: 'the output above it shows the reason' } as const;

export const ENGINE_ERRORS = {
  ENGINES_SYSTEM: { exit: 'usage', advice: 'run the command in the message, as root' },
  ENGINES_PATH: {
    exit: 'usage',
    advice:
      'the path of the project contains blanks: `HUNDREDFOLD_ENGINES=/opt/engines npm run engines`',
  },
  ENGINES_PLATFORM: {
    exit: 'usage',
    advice: 'a system other than Linux, or an unsupported processor: use the recorded engine',
  },
  ENGINES_UNUSABLE: OUTPUT,
  ENGINES_PIP_FAILED: OUTPUT,
  LOCAL_SERVICES_ENGINE: {
    exit: 'usage',
    advice:
      '`--engine real` without an engine, or a library was removed: `npm run engines -- --check`',
  },
} as const satisfies ErrorTable;
