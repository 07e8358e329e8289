/** Types of `worker-process.js`, which stays plain JavaScript because bin/hundredfold.js runs on any Node. */

/** Size of one half of the space for new objects, in MB. */
export const HALF_MB: number;

export interface Restart {
  readonly file: string;
  /** The first is the name of the program. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** How a process that runs a worker is to be started instead; null: it is not replaced. */
export function restartOf(
  process: Pick<
    NodeJS.Process,
    'argv' | 'env' | 'execArgv' | 'execPath' | 'platform' | 'connected'
  >,
): Restart | null;

/** Replaces this process if its command runs a worker; then it does not return. */
export function becomeWorkerProcess(): void;
