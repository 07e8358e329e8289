/** A version of the program within a Worker Deployment. */
import type { WorkflowBundlePath } from '@temporalio/worker';
import { programVersion } from '../program/files.ts';
import { bundleDigest } from './bundle.ts';

export interface Build {
  readonly deployment: string;
  readonly id: string;
  /** Its workflows; default: those of this program. */
  readonly bundle?: WorkflowBundlePath;
}

/** The build of this program: the workflow code decides whether two builds can take over from each other. */
export function thisBuild(deployment: string): Build {
  return { deployment, id: `${programVersion()}-${bundleDigest()}` };
}
