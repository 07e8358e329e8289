/** Builds the workflow bundle at set-up, to make the first start faster; with `--all` that of a codec too. */
import { workflowBundle } from './bundle.ts';
import { FAILURE_CONVERTER } from './codec.ts';

await workflowBundle();
if (process.argv.includes('--all')) await workflowBundle(FAILURE_CONVERTER);
