/** Requests that the schemas of the services do not allow. */
import { describe, expect, test } from 'vitest';
import { api, get, start, submitMolecule, submitSequence } from './running-services.ts';

describe('requests that do not match are refused', () => {
  test('another method: 405 with the allowed ones', async () => {
    const services = await start();
    const answer = await fetch(`${services.moleculesUrl}/api`, { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    const get405 = await get(`${api(services)}/submit/msa/`);
    expect(get405.status).toBe(405);
    expect(get405.body).toEqual({ error: 'This path answers POST.' });
  });

  test('all errors of a body are reported at once', async () => {
    const services = await start();
    const molecule = await submitMolecule(services, { charge_method: 'am1', token: 'short' });
    expect(molecule.body.error).toBe(
      'token must have 10 characters. charge_method must be one of bcc, gas.',
    );
    const sequence = await submitSequence(services, { token: '', predictor_type: 7 });
    expect(sequence.body.error).toBe('token is required. predictor_type must be a string.');
  });

  test.each(['', '; boundary='])('multipart without a boundary (%j): 400', async (boundary) => {
    const services = await start();
    const answer = await fetch(`${api(services)}/submit/msa/`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data${boundary}` },
      body: 'token=x',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('multipart') });
  });

  test('lengths are counted in characters: a hundred emoji are a token', async () => {
    const services = await start();
    expect((await submitSequence(services, { token: '🧬'.repeat(100) })).status).toBe(200);
    expect((await submitSequence(services, { token: '🧬'.repeat(101) })).status).toBe(400);
  });
});
