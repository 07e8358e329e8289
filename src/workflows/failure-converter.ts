/**
 * Failures whose messages and stack traces go through the payload codec: messages of services may quote an input. Used
 * with a codec only, because without one it would just hide them from the UI. Bundled with the workflow code.
 */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
