import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Starts the one Temporal dev server of the suite. */
const globalSetup = fileURLToPath(new URL('test/global-setup.ts', import.meta.url));

/** Minutes of kills, outages, upgrades, virtual nights, services in trouble and Temporal's UI: `npm test -- --long`. */
const LONG = [
  'test/cli/{background,elsewhere,object-store,retry}.test.ts',
  'test/cli/{terminal,together,trouble,two-folders}.test.ts',
  'test/cluster/restore.test.ts',
  'test/crash/**',
  'test/local-services/real-lanes.test.ts',
  'test/temporal/upgrade.test.ts',
  'test/ui/**',
  'test/workflows/{breaker,faults,gateway,outage,unsure}.test.ts',
];

/** Whole commands but the demo, several workers, browsers, packages, and the slowest files of the others: `npm test -- --all`. */
const SLOW = [
  'test/goldens/**',
  'test/cli/!(demo).test.ts',
  'test/workflows/!(details).test.ts',
  'test/{cluster,containers,examples,notebook,package,telemetry,temporal,ui,watchdog}/**',
  'test/report/page/**',
  'test/report/{cells.property,crate,damaged-tree,publish,verify}.test.ts',
  'test/manifest/{lossless.property,problems}.test.ts',
  'test/local-services/{engine-processes,faults}.test.ts',
  'test/export/{docs-examples,*-loads}.test.ts',
  'test/{plugins/campaigns,runner/{examples,library,workflows},kinds/hostile.property}.test.ts',
  'test/store/{in-bucket,prepare-sharing,s3}.test.ts',
  'test/{host/web-pages,report/tables/read-back,services/redaction}.test.ts',
];

function excluded({ LONG_TESTS, QUICK_TESTS }: NodeJS.ProcessEnv): string[] {
  return [...(LONG_TESTS === undefined ? LONG : []), ...(QUICK_TESTS === undefined ? [] : SLOW)];
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: excluded(process.env),
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    // A Temporal worker crashes in vitest's threads; in forks it works.
    pool: 'forks',
    // Two cores, and every integration test brings a worker of its own; most of them wait half of the time. With four, a
    // whole run was 5 % shorter, and tests disturbed each other.
    maxWorkers: 3,
    // For a test that hangs: a busy machine must not fail one that is only slow.
    testTimeout: 240_000,
    // The same for a state that is waited for: the wait ends when it is reached, and only a hang lasts this long.
    expect: { poll: { timeout: 120_000 } },
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
