/**
 * Tells the worker when a run of a campaign or an item has ended, for traces (src/telemetry). It is a module of the bundle,
 * and the worker that traces nothing takes no notice. A sink is no step of the workflow: nothing of it is in the history,
 * and the server does not call it again at replay. `execute` returns the promise of the workflow as it is, because one more
 * promise around it could change the order of steps.
 */
import {
  ContinueAsNew,
  isCancellation,
  proxySinks,
  workflowInfo,
  type Sinks,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import type { ItemInput } from './messages.ts';

type RunOutcome = 'completed' | 'continuedAsNew' | 'cancelled' | 'failed';

export interface EndedRun {
  /** ms: of its first workflow task. */
  readonly begunAt: number;
  /** ms: of its last one. */
  readonly endedAt: number;
  readonly outcome: RunOutcome;
  /** Tells the item from others of its name; null for a campaign. */
  readonly item: Pick<ItemInput, 'tree' | 'generation'> | null;
}

export interface RunSinks extends Sinks {
  readonly runs: { ended(run: EndedRun): void };
}

const { runs } = proxySinks<RunSinks>();

/** Budgets run for ever. */
const TRACED: ReadonlySet<string> = new Set(['campaign', 'item']);

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute(input, next) {
        const { workflowType } = workflowInfo();
        const result = next(input);
        if (!TRACED.has(workflowType)) return result;
        const begunAt = Date.now();
        const item = workflowType === 'item' ? addressOf(input.args[0] as ItemInput) : null;
        const report = (outcome: RunOutcome): void => {
          runs.ended({ begunAt, endedAt: Date.now(), outcome, item });
        };
        result.then(
          () => {
            report('completed');
          },
          (error: unknown) => {
            report(outcomeOf(error));
          },
        );
        return result;
      },
    },
  ],
});

function addressOf({ tree, generation }: ItemInput): Pick<ItemInput, 'tree' | 'generation'> {
  return tree === undefined ? { generation } : { tree, generation };
}

function outcomeOf(error: unknown): RunOutcome {
  if (error instanceof ContinueAsNew) return 'continuedAsNew';
  return isCancellation(error) ? 'cancelled' : 'failed';
}
