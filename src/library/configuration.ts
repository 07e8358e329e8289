/** Settings for the library's functions: from the same file and environment as for the command line. */
import { openWorkerLog } from '../campaigns/worker-log.ts';
import { loadSettings, type LoadOptions, type Settings } from '../config/settings.ts';
import type { Environment } from '../domain/environment.ts';
import { reachObjectStores } from '../store/open-store.ts';
import { logTo } from '../telemetry/log.ts';

/** Options common to all functions of the library. */
export interface ConfigurationOptions {
  /**
   * Path of the configuration file (docs/configuration.md). Default: `HUNDREDFOLD_CONFIG`, then `hundredfold.yaml` in
   * the working folder, if it exists.
   */
  readonly config?: string;
  /**
   * Where variables are read from, including tokens; the command of `notify` gets them without secrets. Default:
   * `process.env`.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export function environmentOf({ environment = process.env }: ConfigurationOptions): Environment {
  return environment;
}

/** @throws HundredfoldError `CONFIG_*` */
export function settingsOf(options: ConfigurationOptions, load?: LoadOptions): Settings {
  const settings = loadSettings(options.config, environmentOf(options), load);
  reachObjectStores(settings.objectStore);
  return settings;
}

/** The worker that runs in this process logs to `worker.log` in the folder of the embedded server. */
export function logToWorkerLog(settings: Settings): void {
  logTo(openWorkerLog(settings));
}
