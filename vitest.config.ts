import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Starts the one Temporal dev server of the suite. */
const globalSetup = fileURLToPath(new URL('test/global-setup.ts', import.meta.url));

/** Minutes of kills, outages and virtual nights: `npm test -- --long`. */
const LONG = [
  'test/cli/{background,move-bucket,retry,terminal,together}.test.ts',
  'test/cluster/restore.test.ts',
  'test/crash/**',
  'test/telemetry/stop-under-load.test.ts',
  'test/time-skipping/**',
  'test/workflows/{faults,outage,unsure}.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.env['LONG_TESTS'] === undefined ? LONG : [],
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    // A Temporal worker crashes in vitest's threads; in forks it works.
    pool: 'forks',
    // Two cores, and every integration test brings a worker of its own.
    maxWorkers: 2,
    // For a test that hangs: a busy machine must not fail one that is only slow.
    testTimeout: 240_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
