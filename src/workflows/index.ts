/** The workflows of the bundle, by the names they have in Temporal. */
export { budget } from './budget.ts';
export { campaign } from './campaign.ts';
export { item } from './item.ts';

/**
 * The SDK takes a stack trace for every promise of workflow code, and maps each frame to its source: with the usual ten
 * frames that is a third of the CPU of a workflow task. Two name the line of a bug and its caller; the whole trace is seen
 * when the history is replayed with a higher limit. Set before the SDK freezes the global objects (temporal/bundle.ts).
 */
Error.stackTraceLimit = 2;
