/** The real engines that recompute results: for each result the version that computed it, if it is installed. */
import type { ServiceName } from '../domain/item.ts';
import {
  closeEngines,
  installationOf,
  realEngineOf,
  usableVersion,
} from '../local-services/engines/choose.ts';
import type { Engine } from '../local-services/engines/engine.ts';

/** The facts of a result that determine its engine. */
export interface Versioned {
  readonly service: ServiceName;
  /** Of the engine recorded in the tree; null if the service did not report it. */
  readonly version: string | null;
}

/** An engine for each version in the results, as far as it is installed. All are checked before any runs. */
export class VersionedEngines {
  readonly notes: readonly string[];
  readonly #engines = new Map<string, Engine>();

  /** Throws `LOCAL_SERVICES_ENGINE`. */
  constructor(items: readonly Versioned[]) {
    const versions = new Map<string, { readonly one: Versioned; readonly used: string }>();
    for (const one of items) {
      const key = `${one.service} ${one.version ?? ''}`;
      if (!versions.has(key))
        versions.set(key, { one, used: usableVersion(one.service, one.version) });
    }
    for (const [key, { one, used }] of versions) {
      const same = `${one.service} ${used}`;
      const engine = this.#engines.get(same) ?? realEngineOf(one.service, used);
      this.#engines.set(same, engine).set(key, engine);
    }
    this.notes = [...versions.values()].flatMap(({ one, used }) => noteOf(one, used));
  }

  of({ service, version }: Versioned): Engine {
    const engine = this.#engines.get(`${service} ${version ?? ''}`);
    if (engine === undefined) throw new Error(`no engine for ${service}`);
    return engine;
  }

  close(): Promise<void> {
    return closeEngines(new Set(this.#engines.values()));
  }
}

function noteOf({ service, version }: Versioned, used: string): readonly string[] {
  if (version === null || version === used) return [];
  const command = installationOf(service, version);
  const remedy = command === null ? '' : ` Install it with: ${command}.`;
  return [
    `The tree names version ${version} of the engine of the service ${service}, which is not installed here: ${used} is used instead and may give different results.${remedy}`,
  ];
}
