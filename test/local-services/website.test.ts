/** The page of public molecule jobs (contract of the molecule service, 1.6 and 2.4). */
import { describe, expect, test } from 'vitest';
import type { LocalServices } from '../../src/local-services/server.ts';
import { databaseFile, get, MOLECULE, start, submitMolecule, until } from './running-services.ts';

const HOSTILE = `</title><script>alert("1")</script><img src=x onerror='alert(2)'>\u202Egnp.exe`;

async function publish(services: LocalServices, file_name: string): Promise<string> {
  const { body } = await submitMolecule(services, { file_name, public: true });
  return body.hash_id;
}

describe('1.6 the public page', () => {
  test('lists only the jobs that requested it, the newest first', async () => {
    const services = await start();
    const { body: hidden } = await submitMolecule(services, { file_name: 'kept to myself' });
    await publish(services, 'first one');
    await publish(services, 'second one');
    const page = await get(`${services.moleculesUrl}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text.indexOf('second one')).toBeGreaterThan(0);
    expect(page.text.indexOf('first one')).toBeGreaterThan(page.text.indexOf('second one'));
    expect(page.text).not.toContain('kept to myself');
    expect(page.text).not.toContain(hidden.hash_id);
    const other = await get(`${services.moleculesUrl}/jobs/${hidden.hash_id}/`);
    expect(other.status).toBe(404);
  });

  test('2.3 every record contains whether the job is public', async () => {
    const services = await start();
    const id = await publish(services, 'shown');
    const record = await until(`${services.moleculesUrl}/api/queue/${id}/`);
    expect(record.body.result_request).toMatchObject({ public: true });
    const { body } = await submitMolecule(services);
    const other = await until(`${services.moleculesUrl}${body.Location}`);
    expect(other.body.result_request).toMatchObject({ public: false });
  });

  test('2.4 counts the views of a job there, and keeps the count', async () => {
    const database = databaseFile();
    const before = await start({ database });
    const id = await publish(before, 'looked at');
    await until(`${before.moleculesUrl}/api/${id}/`);
    for (const look of [1, 2, 3]) {
      const page = await get(`${before.moleculesUrl}/jobs/${id}/`);
      expect(page.text).toMatch(new RegExp(`Views</th>\\s*<td><bdi>${String(look)}</bdi>`));
    }
    await before.close();
    const after = await start({ database });
    const record = await get(`${after.moleculesUrl}/api/${id}/`);
    expect(record.body).toMatchObject({ views: 3 });
    expect((await get(`${after.moleculesUrl}/`)).text).toMatch(/class="number">3<\/td>/);
  });

  test('shows titles as text, whatever they contain, and loads nothing', async () => {
    const services = await start();
    const id = await publish(services, HOSTILE);
    for (const path of ['/', `/jobs/${id}/`]) {
      const page = await get(`${services.moleculesUrl}${path}`);
      expect(page.text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
      expect(page.text).not.toMatch(/<script|<img|onerror='/);
      // A bidirectional control character has no effect beyond its title.
      expect(page.text).toMatch(/<bdi>[^<]*\u202E[^<]*<\/bdi>/);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  test('does not reveal the owner of a job', async () => {
    const services = await start();
    const id = await publish(services, 'anonymous');
    const record = await until(`${services.moleculesUrl}/api/${id}/`);
    expect(record.body).toMatchObject({ token: '*'.repeat(10) });
    const pages = await Promise.all(
      ['/', `/jobs/${id}/`].map((path) => get(`${services.moleculesUrl}${path}`)),
    );
    for (const { text } of [record, ...pages]) expect(text).not.toContain(MOLECULE.token);
  });

  test('continues on further pages after a hundred jobs', async () => {
    const services = await start();
    for (let n = 0; n < 101; n += 1) await publish(services, `number ${String(n)} of many`);
    const newest = await get(`${services.moleculesUrl}/`);
    expect(newest.text.match(/of many/g)).toHaveLength(100);
    const [, older] = /href="([^"]+)">Older jobs/.exec(newest.text) ?? [];
    const rest = await get(new URL(older ?? '', services.url).href);
    expect(rest.text).toContain('number 0 of many');
    expect(rest.text.match(/of many/g)).toHaveLength(1);
    const nonsense = await get(`${services.moleculesUrl}/?before=x`);
    expect(nonsense.status).toBe(400);
  });
});
