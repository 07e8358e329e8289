/** The settings of a command; also sets up access to object stores for this process. */
import { HundredfoldError } from '../../domain/errors.ts';
import { loadSettings, type LoadOptions, type Settings } from '../../config/settings.ts';
import { reachObjectStores } from '../../store/open-store.ts';
import type { CommonFlags } from '../command-line/flags.ts';

/**
 * Names of kinds and services are known only after the plugins were loaded.
 * @throws HundredfoldError `USAGE`
 */
export function checkChoice(
  option: string,
  value: string | undefined,
  choices: readonly string[],
): void {
  if (value === undefined || choices.includes(value)) return;
  throw new HundredfoldError(
    'USAGE',
    `${option} is "${value}"`,
    `Choose one of ${choices.join(', ')}.`,
  );
}

/** Throws CONFIG_* with what to do; exit code 2. */
export function commandSettings({ config }: CommonFlags, options?: LoadOptions): Settings {
  const settings = loadSettings(config, process.env, options);
  reachObjectStores(settings.objectStore);
  return settings;
}
