/** Builds the workflow bundle at set-up, to make the first start faster; with `--all` that of a codec too. */
import { loadWorkflowBundle } from './bundle.ts';
import { FAILURE_CONVERTER } from './codec.ts';

await loadWorkflowBundle();
if (process.argv.includes('--all')) await loadWorkflowBundle(FAILURE_CONVERTER);
