/** A version of the program within a Worker Deployment. */
import type { WorkflowBundlePath } from '@temporalio/worker';
import { programVersion } from '../program/files.ts';
import { bundleDigest } from './bundle.ts';

export interface Build {
  readonly deployment: string;
  readonly id: string;
  /** Its workflows; those of this program when they are left out. */
  readonly bundle?: WorkflowBundlePath;
}

/** Of this program: the workflow code decides whether two of them can take over from each other. */
export function thisBuild(deployment: string): Build {
  return { deployment, id: `${programVersion()}-${bundleDigest()}` };
}
