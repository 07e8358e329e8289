/**
 * What workflows send to the server, observed between the SDK and its core. A worker that dies there has decided and
 * not sent (`before`), or sent and not seen the result: two moments that no activity can observe.
 */
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import type { NativeWorkerLike } from '@temporalio/worker/lib/worker.js';
import type { CorePoint, Fuse } from './points.ts';

type Command = proto.coresdk.workflow_commands.IWorkflowCommand;

interface Place {
  readonly moment: 'before' | 'after';
  readonly matches: (command: Command) => boolean;
}

const signals = (name: string) => (command: Command) =>
  command.signalExternalWorkflowExecution?.signalName === name;
const continues = (type: string) => (command: Command) =>
  command.continueAsNewWorkflowExecution?.workflowType === type;

const PLACES: Readonly<Record<CorePoint, Place>> = {
  'campaign: before the budget is asked': { moment: 'before', matches: signals('request') },
  'campaign: budget asked': { moment: 'after', matches: signals('request') },
  'budget: before continue-as-new': { moment: 'before', matches: continues('budget') },
  'budget: continued as new': { moment: 'after', matches: continues('budget') },
  'campaign: before continue-as-new': { moment: 'before', matches: continues('campaign') },
  'campaign: continued as new': { moment: 'after', matches: continues('campaign') },
};

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

/** From now on the fuse observes what the workflows of this process send to the server. */
export function wireCore(fuse: Fuse): void {
  WiredWorker.wire((core) => {
    const complete = core.completeWorkflowActivation;
    core.completeWorkflowActivation = async (completion) => {
      const commands = commandsOf(completion);
      fuseAt(fuse, commands, 'before');
      await complete(completion);
      fuseAt(fuse, commands, 'after');
    };
    return core;
  });
}

function commandsOf(completion: Uint8Array): readonly Command[] {
  const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;
  return WorkflowActivationCompletion.decodeDelimited(completion).successful?.commands ?? [];
}

function fuseAt(fuse: Fuse, commands: readonly Command[], moment: Place['moment']): void {
  for (const [point, place] of Object.entries(PLACES)) {
    // The keys of PLACES are the points.
    if (place.moment === moment && commands.some(place.matches)) fuse.at(point as CorePoint);
  }
}
