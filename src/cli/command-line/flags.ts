/** What can be typed after a command: the options that several of them have. */
export interface CommonFlags {
  readonly config?: string;
  readonly json?: boolean;
}

/** Of commands that may bring the services of this project with them. */
export interface ServiceFlags extends CommonFlags {
  readonly services?: 'local';
}
