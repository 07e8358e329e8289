/** The description of one way to run the items, for the benchmark. */
import type { Server } from './servers.ts';

export interface Peer {
  /** Of its folder beside this file. */
  readonly name: string;
  readonly title: string;
  /** The files that the user writes, in its folder. */
  readonly written: readonly string[];
  /** The shared program for the service, if the user has to write that as well. */
  readonly client: 'client.js' | 'fetch.py' | null;
  /** How it continues after a kill. */
  readonly resumes: string;
  /** Its programs, installed if necessary; or why it is skipped, in a few words. */
  readonly install: () => Promise<Installed | { missing: string }>;
}

export interface Installed {
  /** Names with versions. */
  readonly versions: string;
  /** Started before the program and not affected by the kill. */
  readonly serve?: (folder: string) => Promise<Server>;
  /** Program and arguments, run in the folder with `items.jsonl`. */
  readonly command: readonly string[];
  /** Environment of the program. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What its documentation says to run if the command refuses to start after a kill. */
  readonly unlock?: readonly string[];
}
