import { describe, expect, test } from 'vitest';
import { isOfNoUse } from '../../src/domain/of-no-use.ts';

describe('a former job', () => {
  test.each([
    ['failed, whatever it had brought before', 'JOB_FAILED', 'CANCELLED', true],
    ['is unknown to the service', 'JOB_LOST', 'JOB_OVERDUE', true],
    ['is not worked on', 'JOB_STUCK', 'JOB_OVERDUE', true],
    ['offers no result', 'RESULT_ABSENT', 'JOB_LOST', true],
    ['is overdue for the second time', 'JOB_OVERDUE', 'JOB_OVERDUE', true],
    ['is overdue for the first time', 'JOB_OVERDUE', 'CANCELLED', false],
    ['is wrong in the same way', 'RESULT_WRONG_ATOMS', 'RESULT_WRONG_ATOMS', true],
    ['is wrong in another way', 'RESULT_WRONG_ATOMS', 'JOB_LOST', false],
    ['is too large again, as every other one', 'RESULT_TOO_LARGE', 'RESULT_TOO_LARGE', false],
    ['meets the same fault of our disk', 'STORE_NOT_WRITABLE', 'STORE_NOT_WRITABLE', false],
    ['was cancelled again', 'CANCELLED', 'CANCELLED', false],
    ['succeeded', null, 'JOB_LOST', false],
  ])('that %s (%s after %s): followed by another one: %s', (_, code, before, followed) => {
    expect(isOfNoUse(code, before)).toBe(followed);
  });
});
