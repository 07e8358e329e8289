/** The state folder for commands: the user's own, or one beside the embedded server if there is no home. */
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../domain/environment.ts';
import { privateFolder } from '../state/private-folder.ts';
import { openStateFolder, PORTS_FOLDER, runtimePath } from '../state/state-folder.ts';
import { warn } from '../state/warn.ts';

/** Throws STATE_FOLDER_UNUSABLE. */
export function stateFolderOf({
  settings,
  environment,
}: {
  readonly settings: Pick<Settings, 'embeddedDir'>;
  readonly environment: Environment;
}): string {
  const { path, problem } = openStateFolder(environment, join(settings.embeddedDir, 'state'));
  if (problem !== null)
    warn(
      `${problem}. Submissions are counted in ${path}, which other folders do not see: set HUNDREDFOLD_STATE_DIR.`,
    );
  return path;
}

/**
 * The folder whose lock is held while a server of this user chooses and opens its ports, in any working folder. Throws
 * FOLDER_NOT_PRIVATE: a folder created by another user could block us, or redirect our files.
 */
export function portsFolder(embeddedDir: string, environment: Environment): string {
  const state = () => stateFolderOf({ settings: { embeddedDir }, environment });
  return privateFolder(join(privateFolder(runtimePath(environment, state)), PORTS_FOLDER));
}
