/**
 * What workflows send to the server, observed between the SDK and its core. A worker that dies there has decided and
 * not sent (`before`), or sent and not seen the result: two moments that no activity can observe.
 */
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import type { NativeWorkerLike } from '@temporalio/worker/lib/worker.js';
import type { Hazards } from './hazards.ts';

type Command = proto.coresdk.workflow_commands.IWorkflowCommand;

const signals = (name: string) => (command: Command) =>
  command.signalExternalWorkflowExecution?.signalName === name;
const continues = (type: string) => (command: Command) =>
  command.continueAsNewWorkflowExecution?.workflowType === type;

/** The points before and after such a command is sent. */
const PLACES = [
  [signals('request'), 'campaign: before the budget is asked', 'campaign: budget asked'],
  [continues('budget'), 'budget: before continue-as-new', 'budget: continued as new'],
  [continues('campaign'), 'campaign: before continue-as-new', 'campaign: continued as new'],
] as const;

/** The SDK's own way to replace the core; it is meant for subclasses. */
class WiredWorker extends Worker {
  static wire(wired: (core: NativeWorkerLike) => NativeWorkerLike): void {
    const real = Worker.nativeWorkerCtor;
    Worker.nativeWorkerCtor = {
      create: async (...args) => wired(await real.create(...args)),
      createReplay: (...args) => real.createReplay(...args),
    };
  }
}

/** From now on the hazards observe what the workflows of this process send to the server. */
export function wireCore(hazards: Hazards): void {
  WiredWorker.wire((core) => {
    const complete = core.completeWorkflowActivation;
    core.completeWorkflowActivation = async (completion) => {
      const commands = commandsOf(completion);
      const places = PLACES.filter(([matches]) => commands.some(matches));
      for (const [, before] of places) hazards.at(before);
      await complete(completion);
      for (const [, , after] of places) hazards.at(after);
    };
    return core;
  });
}

function commandsOf(completion: Uint8Array): readonly Command[] {
  const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;
  return WorkflowActivationCompletion.decodeDelimited(completion).successful?.commands ?? [];
}
