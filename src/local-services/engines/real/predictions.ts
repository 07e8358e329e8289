/** The real engine of the prediction service: b2bTools with ShiftCrypt, and the checks that they lack. */
import type { Engine, EngineContext, EngineJob, EngineOutcome } from '../engine.ts';
import { objectionTo, whyUnfit } from './b2btools/objections.ts';
import { runB2bTools } from './b2btools/run.ts';
import { WarmB2bTools } from './b2btools/warm.ts';
import type { Installed } from './installed.ts';
import { sweepFolders } from './work-folder.ts';

export class RealPredictions implements Engine {
  readonly name = 'real';
  readonly version: string;
  readonly #b2bTools: WarmB2bTools;
  readonly #running = new Set<Promise<unknown>>();

  constructor(installed: Installed) {
    this.version = `b2bTools ${installed.version}`;
    this.#b2bTools = new WarmB2bTools(installed);
    void sweepFolders();
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    if (job.kind === 'molecule') throw new Error('b2bTools was given a molecule.');
    const unfit = whyUnfit(job);
    if (unfit !== null) return { ok: false, message: unfit, log: unfit };
    const run = runB2bTools(this.#b2bTools, job, context);
    const settled = run.catch(() => undefined).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    const outcome = await run;
    if (!outcome.ok) return outcome;
    const result = outcome.outputs.find(({ name }) => name === 'result');
    const objection = objectionTo(job, Buffer.from(result?.body ?? []).toString());
    if (objection === null) return outcome;
    return { ok: false, message: objection, log: `${outcome.log}SERVICE: ${objection}\n` };
  }

  async close(): Promise<void> {
    await this.#b2bTools.close();
    await Promise.all(this.#running);
  }
}
