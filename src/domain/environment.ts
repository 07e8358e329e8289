/** The variables of a process, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;
