/** Run at set-up: builds the workflow bundle, so that the first start need not. */
import { workflowBundle } from './bundle.ts';

await workflowBundle();
