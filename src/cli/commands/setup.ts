/** `hundredfold setup`: downloads what the embedded server needs, before the first campaign. */
import { EXIT } from '../../domain/errors.ts';
import { ensureTemporalCli } from '../../temporal/cli.ts';
import { say } from '../text/explain.ts';

const SOURCES = {
  environment: 'TEMPORAL_CLI',
  cache: 'the cache of this user',
  path: 'PATH',
};

export async function setup(): Promise<number> {
  const { path, source } = await ensureTemporalCli(say);
  say(`Temporal CLI: ${path} (${SOURCES[source]}).`);
  return EXIT.ok;
}
