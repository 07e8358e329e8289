import { describe, expect, test } from 'vitest';
import { isOfNoUse } from '../../src/domain/of-no-use.ts';

describe('a previous job', () => {
  test.each([
    ['failed, however the attempt before ended', 'JOB_FAILED', 'CANCELLED', true],
    ['is unknown to the service', 'JOB_LOST', 'JOB_OVERDUE', true],
    ['is stuck', 'JOB_STUCK', 'JOB_OVERDUE', true],
    ['offers no result', 'RESULT_ABSENT', 'JOB_LOST', true],
    ['is overdue for the second time', 'JOB_OVERDUE', 'JOB_OVERDUE', true],
    ['is overdue for the first time', 'JOB_OVERDUE', 'CANCELLED', false],
    ['is wrong in the same way', 'RESULT_WRONG_ATOMS', 'RESULT_WRONG_ATOMS', true],
    ['is wrong in another way', 'RESULT_WRONG_ATOMS', 'JOB_LOST', false],
    ['has a result that is too large again', 'RESULT_TOO_LARGE', 'RESULT_TOO_LARGE', false],
    ['cannot be written to our disk again', 'STORE_NOT_WRITABLE', 'STORE_NOT_WRITABLE', false],
    ['was cancelled again', 'CANCELLED', 'CANCELLED', false],
    ['succeeded', null, 'JOB_LOST', false],
  ])('that %s (%s after %s) is followed by another job: %s', (_, code, before, followed) => {
    expect(isOfNoUse(code, before)).toBe(followed);
  });
});
