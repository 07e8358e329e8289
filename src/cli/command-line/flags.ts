/** The options that several commands share. */
import type { LocalName } from '../../host/local-settings.ts';

export interface CommonFlags {
  readonly config?: string;
  readonly json?: boolean;
}

/** For commands that can start the services of this project. */
export interface ServiceFlags extends CommonFlags {
  readonly services?: LocalName;
}
