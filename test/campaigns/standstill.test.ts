/** The message why a service is at a standstill for a campaign. */
import { describe, expect, test } from 'vitest';
import { standstillOf } from '../../src/campaigns/standstill.ts';
import type { CampaignProgress } from '../../src/domain/campaign.ts';

const PAUSED: CampaignProgress = {
  campaign: 'night',
  state: 'running',
  total: 9,
  open: 4,
  following: 0,
  ended: { succeeded: 0, failed: 5, held: 0, cancelled: 0, invalid: 0 },
  failuresByCode: { JOB_FAILED: 5 },
  brakes: [{ service: 'molecules', code: 'JOB_FAILED', message: 'no engine.', times: 5 }],
};

describe('a service that was paused because all its items failed in the same way', () => {
  test.each(['running', 'paused'] as const)('is named while the campaign is %s', (state) => {
    const words = standstillOf({ budgets: [], progress: { ...PAUSED, state } }, 0);
    expect(words).toContain('(JOB_FAILED: no engine), so nothing more is submitted there');
    expect(words).toContain('"hundredfold resume night --service molecules"');
  });

  test.each(['completed', 'cancelled'] as const)('is not an obstacle of a %s campaign', (state) => {
    expect(standstillOf({ budgets: [], progress: { ...PAUSED, state } }, 0)).toBeNull();
  });
});
