/** Where the library's functions get their settings from: the same file and environment as the command line. */
import { openWorkerLog } from '../campaigns/worker-log.ts';
import {
  loadSettings,
  type Environment,
  type LoadOptions,
  type Settings,
} from '../config/settings.ts';
import { reachObjectStores } from '../store/open-store.ts';
import { logTo } from '../telemetry/log-target.ts';

/** What all functions of the library take. */
export interface ConfigurationOptions {
  /**
   * Path of the configuration file (docs/configuration.md). Left out: `HUNDREDFOLD_CONFIG`, then `hundredfold.yaml` of
   * the working folder, if there is one.
   */
  readonly config?: string;
  /** Where variables are read from, tokens among them; `process.env` when it is left out. */
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
