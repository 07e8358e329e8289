/**
 * `npm run fuzz:services [-- --examples N --seed S]`: tests both services, and the earlier variant of one, with the
 * schema fuzzer schemathesis. Needs python3 with pip, and a package index at the first run.
 */
import { parseArgs } from 'node:util';
import { startLocalServices } from '../src/local-services/server.ts';
import { clientPackages } from './clients/python.ts';
import { fuzz } from './clients/fuzz.ts';

const { values } = parseArgs({
  options: { examples: { type: 'string', default: '100' }, seed: { type: 'string' } },
});
const examples = Number(values.examples);
const seed = Number(values.seed ?? Date.now() % 1_000_000);

const packages = await clientPackages();
if (packages.type === 'absent') {
  console.error(`The fuzzer cannot be installed: ${packages.reason}`);
  process.exit(1);
}
let failed = 0;
for (const variant of ['current', 'earlier'] as const) {
  const services = await startLocalServices({
    variant,
    engine: 'synthetic',
    jobMs: 0,
    concurrency: 0,
    limit: 0,
    addressLimit: 0,
  });
  const targets =
    variant === 'current'
      ? { molecules: services.moleculesUrl, predictions: services.url }
      : { 'predictions, earlier variant': services.url };
  for (const [name, url] of Object.entries(targets)) {
    const { passed, report } = await fuzz(packages.folder, url, { examples, seed, seconds: 120 });
    console.log(report);
    console.log(`${name}: ${passed ? 'nothing found' : 'FAILED'} (seed ${String(seed)})`);
    if (!passed) failed += 1;
  }
  await services.close();
}
process.exitCode = failed === 0 ? 0 : 1;
