/** Keeps the service's faults as planned, also when it was restarted or refuses connections meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import type { Chronicle } from './chronicle.ts';
import type { PluginService } from './plugin-service.ts';

const POLL_INTERVAL_MS = 50;

/** The name in the chronicle for a rule that is in force. */
export const inForce = (name: FaultRule['name']): string => `fault ${name}`;

export class FaultControl {
  readonly #url: string;
  readonly #plugin: PluginService | null;
  readonly #chronicle: Chronicle;
  #wanted: readonly FaultRule[] = [];
  #applied: readonly FaultRule[] = [];
  /** Names that may be in force. */
  readonly #begun = new Set<FaultRule['name']>();
  #stopped = false;
  readonly #loop: Promise<void>;

  /** @param url of the local services themselves, not through the proxy */
  constructor(url: string, plugin: PluginService | null, chronicle: Chronicle) {
    this.#url = url;
    this.#plugin = plugin;
    this.#chronicle = chronicle;
    this.#loop = this.#keepApplied();
  }

  add(rules: readonly FaultRule[]): void {
    this.#wanted = [...this.#wanted, ...rules];
  }

  remove(rules: readonly FaultRule[]): void {
    this.#wanted = this.#wanted.filter((rule) => !rules.includes(rule));
  }

  /** A restarted service has no faults. */
  forgotten(): void {
    this.#plugin?.setFaults([]);
    this.#applied = [];
    this.#endAllBut(new Set());
  }

  /** Returns when these rules, and no others, are in force. */
  async begin(rules: readonly FaultRule[]): Promise<void> {
    this.#wanted = rules;
    while (this.#applied !== this.#wanted) await delay(POLL_INTERVAL_MS);
  }

  /** Returns when the service has no faults any more. */
  calm(): Promise<void> {
    return this.begin([]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async #keepApplied(): Promise<void> {
    while (!this.#stopped) {
      if (this.#wanted !== this.#applied) await this.#apply(this.#wanted);
      await delay(POLL_INTERVAL_MS);
    }
  }

  async #apply(rules: readonly FaultRule[]): Promise<void> {
    // In force from before its request until after the answer to the request that ended it.
    for (const { name } of rules) {
      this.#begun.add(name);
      this.#chronicle.begin(inForce(name));
    }
    this.#plugin?.setFaults(rules);
    try {
      const answer = await fetch(new URL('/_faults', this.#url), {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rules),
        signal: AbortSignal.timeout(2_000),
      });
      if (!answer.ok) throw new TypeError(`the service refused the rules: ${await answer.text()}`);
    } catch (error) {
      // It is down, or refuses connections on purpose: repeated in a moment.
      if (error instanceof TypeError && error.message.startsWith('the service refused'))
        throw error;
      return;
    }
    this.#endAllBut(new Set(rules.map(({ name }) => name)));
    this.#applied = rules;
  }

  #endAllBut(kept: ReadonlySet<FaultRule['name']>): void {
    for (const name of this.#begun) {
      if (kept.has(name)) continue;
      this.#begun.delete(name);
      this.#chronicle.end(inForce(name));
    }
  }
}
