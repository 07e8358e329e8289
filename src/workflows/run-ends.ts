/**
 * Reports to the worker when a run of a campaign or an item has ended, for traces (src/telemetry). It is part of the
 * bundle; a worker without traces ignores it. A sink is not a command: nothing of it is in the history, and it is not
 * called at replay. `execute` returns the promise of the workflow unchanged, because another promise around it could
 * change the order of commands.
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
  /** Identifies the item among others of its name; null for a campaign. */
  readonly item: Pick<ItemInput, 'tree' | 'generation'> | null;
}

export interface RunSinks extends Sinks {
  readonly runs: { ended(run: EndedRun): void };
}

const { runs } = proxySinks<RunSinks>();

/** Budgets never end. */
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
