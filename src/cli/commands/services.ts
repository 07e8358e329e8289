/** `hundredfold services`: runs the two local services in the foreground. */
import { pino } from 'pino';
import { EXIT } from '../../domain/errors.ts';
import { startServices } from '../../temporal/host/local.ts';
import { say } from '../text/output.ts';

/** As parsed: numbers, and times in ms. What is not given has the default of the services. */
interface ServicesFlags extends Pick<
  Parameters<typeof startServices>[0],
  'host' | 'limit' | 'moleculeLimit' | 'variant' | 'addressLimit' | 'concurrency'
> {
  readonly port: number;
  readonly database: string;
  readonly engine?: 'real' | 'recorded' | 'synthetic';
  readonly window?: number;
  readonly retryAfter: number;
  readonly jobTime?: number;
  readonly jobTimeLimit?: number;
  readonly faultControl?: boolean;
}

export async function services(flags: ServicesFlags): Promise<number> {
  const { window, retryAfter, jobTime, jobTimeLimit, faultControl, ...others } = flags;
  const services = await startServices({
    ...others,
    engine: flags.engine ?? 'installed',
    windowMs: window,
    retryAfterSeconds: retryAfter,
    timeLimitSeconds: jobTimeLimit && jobTimeLimit / 1000,
    jobMs: jobTime,
    allowFaultControl: faultControl,
    log: pino({ level: 'info' }, pino.destination(2)),
  });
  const { molecules, predictions } = services.engines;
  say(`molecules:   ${services.moleculesUrl}   ({mol_base_url}); ${molecules}`);
  say(`predictions: ${services.url}   ({base_url}); ${predictions}`);
  if (flags.engine === undefined) printMissing([molecules, predictions]);
  say(`jobs in ${flags.database}; Ctrl-C stops the services and keeps the jobs.`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await services.close();
  return EXIT.ok;
}

/** A user who did not choose an engine may not know that there are real ones. */
function printMissing(statements: readonly string[]): void {
  if (statements.every((statement) => statement.startsWith('engine: real'))) return;
  say(
    'Only the inputs of batches/ have recorded answers; `npm run engines` installs the real engines.',
  );
}
