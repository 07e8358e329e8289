/** The options that several commands share. */
export interface CommonFlags {
  readonly config?: string;
  readonly json?: boolean;
}

/** For commands that can start the services of this project. */
export interface ServiceFlags extends CommonFlags {
  readonly services?: 'local';
}
