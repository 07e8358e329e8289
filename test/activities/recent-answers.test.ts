/** Submissions of one campaign share the answer whether it is still open, for a moment. */
import { expect, test } from 'vitest';
import { RecentAnswers } from '../../src/activities/recent-answers.ts';

test('concurrent calls request the state of each campaign once', async () => {
  const campaigns = new RecentAnswers<boolean>();
  const asked: string[] = [];
  const find = (key: string, wanted: boolean): Promise<boolean> =>
    campaigns.find(key, () => {
      asked.push(key);
      return Promise.resolve(wanted);
    });
  const answers = await Promise.all([find('a', true), find('a', false), find('b', false)]);
  expect(answers).toEqual([true, true, false]);
  expect(asked).toEqual(['a', 'b']);
});

test('the state of a campaign is read again when the answer is too old to share', async () => {
  const campaigns = new RecentAnswers<boolean>();
  expect(await campaigns.find('a', () => Promise.resolve(true))).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(await campaigns.find('a', () => Promise.resolve(false))).toBe(false);
});

test('an error is not shared with later calls', async () => {
  const campaigns = new RecentAnswers<boolean>();
  const failing = campaigns.find('a', () => Promise.reject(new Error('away')));
  await expect(failing).rejects.toThrow('away');
  expect(await campaigns.find('a', () => Promise.resolve(true))).toBe(true);
});
