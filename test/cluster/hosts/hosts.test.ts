/**
 * Three hosts that share only Temporal and a bucket, with each kind of fault once. `npm run test:cluster` runs many
 * rounds.
 */
import { describe, expect, test } from 'vitest';
import { WITHOUT_S3 } from '../../s3-server.ts';
import { clusterTools, type ClusterTools } from '../tools.ts';
import { whyNoNamespaces } from './network.ts';
import { planRound, wordsOf } from './plan.ts';
import { playRound } from './round.ts';

const tools = clusterTools();
const missing = typeof tools === 'string' ? tools : (WITHOUT_S3 ?? whyNoNamespaces());

describe.skipIf(missing !== null)(
  `hosts that share nothing${missing ? ` (${missing})` : ''}`,
  () => {
    test('keep every promise through a partition, a kill and a bad link', async () => {
      const plan = planRound(1, 1, true);
      const { broken, stories } = await playRound(tools as ClusterTools, plan);
      expect(broken, `${wordsOf(plan)}\n${stories}`).toEqual([]);
    }, 480_000);
  },
);
