import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Starts the one Temporal dev server of the suite. */
const globalSetup = fileURLToPath(new URL('test/global-setup.ts', import.meta.url));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    // A Temporal worker crashes in vitest's threads; in forks it works.
    pool: 'forks',
    // Two cores, and every integration test brings a worker of its own.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
