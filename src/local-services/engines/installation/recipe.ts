/** What an engine's installation needs to know; one recipe an engine, in a file of its own. */
import type { RealEngineName } from '../real/installed.ts';

/** Something of the system that an engine cannot do without, and that only root can install. */
export interface SystemNeed {
  /** As it is looked for: a library's or a program's name. */
  readonly name: string;
  readonly debianPackage: string;
  found(): boolean;
}

export interface Recipe {
  readonly engine: RealEngineName;
  /** Which one; the one of `ENGINE_VERSIONS` when it is left out. */
  readonly version?: string;
  /** For people: download and disk. */
  readonly size: string;
  /** The processors that its programs are made for; absent: any. */
  readonly architectures?: readonly NodeJS.Architecture[];
  readonly needs: readonly SystemNeed[];
  /** The interpreter that the environment is made with: an absolute path, or a name on PATH. */
  readonly python: string;
  /** More arguments of `python -m venv`. */
  readonly environmentOptions: readonly string[];
  /** Arguments of `pip install`. */
  readonly pipArguments: readonly string[];
  /** Runs the engine in its environment; what it says of its version, or why it does not run. */
  prove(folder: string): { readonly version: string } | { readonly problem: string };
}
