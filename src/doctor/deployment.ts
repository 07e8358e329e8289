/** `doctor`: checks the Worker Deployment that the configuration names. */
import { HundredfoldError } from '../domain/errors.ts';
import { connectClient, type TemporalAddress } from '../temporal/connection.ts';
import { describeDeployment } from '../temporal/deployment.ts';
import type { Finding } from './finding.ts';

export async function deploymentFinding(
  target: TemporalAddress,
  deployment: string,
): Promise<Finding> {
  const check = 'Temporal deployment';
  const client = await connectClient(target);
  try {
    const builds = await describeDeployment(client, deployment);
    const current = builds?.find(({ isCurrent }) => isCurrent);
    if (current) {
      const others = (builds?.length ?? 1) - 1;
      return {
        check,
        ok: true,
        found: `${deployment}: ${current.id} is current, and ${others} others`,
      };
    }
    const found = `${deployment}: no version is current, so new campaigns have no worker`;
    const remedy =
      builds === null
        ? 'Start a worker with the same temporal.deployment, then: hundredfold deployment promote.'
        : 'hundredfold deployment promote';
    return { check, ok: true, warning: true, found, remedy };
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    const { code, message, remedy } = error;
    const found = `${message}; workers run without a version`;
    return { check, ok: true, warning: true, code, found, remedy };
  } finally {
    await client.connection.close();
  }
}
