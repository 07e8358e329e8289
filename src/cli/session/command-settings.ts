/** The settings of a command; also sets up access to object stores for this process. */
import { loadSettings, type LoadOptions, type Settings } from '../../config/settings.ts';
import { reachObjectStores } from '../../store/open-store.ts';
import type { CommonFlags } from '../command-line/flags.ts';

/** Throws CONFIG_* with what to do; exit code 2. */
export function commandSettings({ config }: CommonFlags, options?: LoadOptions): Settings {
  const settings = loadSettings(config, process.env, options);
  reachObjectStores(settings.objectStore);
  return settings;
}
