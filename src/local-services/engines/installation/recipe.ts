/** The facts for installing an engine; one recipe per engine, each in its own file. */
import type { RealEngineName } from '../real/installed.ts';

/** A required part of the system that only root can install. */
export interface SystemNeed {
  /** The name to look for: a library's or a program's. */
  readonly name: string;
  readonly debianPackage: string;
  found(): boolean;
}

export interface Recipe {
  readonly engine: RealEngineName;
  /** The default is the version of `ENGINE_VERSIONS`. */
  readonly version?: string;
  /** For display: download and disk. */
  readonly size: string;
  /** Supported processors; absent: any. */
  readonly architectures?: readonly NodeJS.Architecture[];
  readonly needs: readonly SystemNeed[];
  /** The interpreter of the environment: an absolute path, or a name on PATH. */
  readonly python: string;
  /** Additional arguments of `python -m venv`. */
  readonly environmentOptions: readonly string[];
  /** Arguments of `pip install`. */
  readonly pipArguments: readonly string[];
  /** Runs the engine in its environment; returns its version, or the reason why it does not run. */
  prove(folder: string): { readonly version: string } | { readonly problem: string };
}
