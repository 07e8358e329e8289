/** A molecule whose submission was never answered is held; the id of its job resolves it without a second job. */
import { expect, test } from 'vitest';
import { openWithGoBetween, outcomes, rowOf } from './faulty.ts';

test('a held molecule adopts the job of its lost answer', async () => {
  const { rig, between } = await openWithGoBetween();
  between.rewrite = ({ method }, answer) =>
    method === 'POST' ? { status: 0, cut: 'whole' } : answer;
  const row = { id: 'm', kind: 'molecule', smiles: 'CCO' };
  const held = await rig.run([row]);
  expect(await rowOf(held, 'm')).toMatchObject({ state: 'held', error_code: 'SUBMIT_UNSURE' });
  const [entry] = rig.services.journal();
  const ran = await rig.run([{ ...row, remote_id: entry?.requestId }], held.name);
  expect(await rowOf(ran, 'm')).toMatchObject({
    state: 'succeeded',
    remote_id: entry?.requestId,
    result_from: 'adopted',
  });
  expect(await outcomes(ran, 'm')).toEqual(['adopted']);
  expect(rig.services.journal()).toHaveLength(1);
});
