/**
 * Health of a container: `HUNDREDFOLD_HEALTH_URL` answers, whatever it says below 500. Without that variable, the first
 * process has to be hundredfold (an init process names it too): a campaign has no address of its own.
 */
import { readFileSync } from 'node:fs';

const url = process.env.HUNDREDFOLD_HEALTH_URL;
const { AbortSignal, fetch } = globalThis;

async function healthy() {
  if (url) return (await fetch(url, { signal: AbortSignal.timeout(4_000) })).status < 500;
  return readFileSync('/proc/1/cmdline', 'utf8').includes('hundredfold');
}

healthy().then(
  (well) => process.exit(well ? 0 : 1),
  () => process.exit(1),
);
