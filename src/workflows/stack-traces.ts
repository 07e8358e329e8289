/**
 * Bundled with the workflows and loaded before them (temporal/bundle.ts). The SDK takes a stack trace for every promise
 * of workflow code, and maps each frame to its source: with the usual ten frames that is a third of the CPU of a workflow
 * task. Two frames name the line of a bug and its caller; the whole trace is
 * seen when the history is replayed with a higher limit, because replay is deterministic.
 *
 * Rejected: no frame, which hides where a bug is, and one, which hides the caller of a function of the SDK.
 */
Error.stackTraceLimit = 2;

export {};
