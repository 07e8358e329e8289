/** The real engines that compute results again: of each result the version that computed it, where it is installed. */
import type { ServiceName } from '../domain/item.ts';
import {
  closeEngines,
  installationOf,
  realEngineOf,
  usableVersion,
} from '../local-services/engines/choose.ts';
import type { Engine } from '../local-services/engines/engine.ts';

/** A result, as far as the choice of its engine goes. */
export interface Versioned {
  readonly service: ServiceName;
  /** Of the engine that the tree names; null where the service did not tell. */
  readonly version: string | null;
}

/** An engine for each version that the results name, as far as it is installed. Nothing runs before all are there. */
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
