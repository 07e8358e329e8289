/**
 * What a web page in the user's browser can do with the embedded server: a page may send requests to any port of this
 * machine, and with DNS rebinding under its own name as Host. All of it is tested on the real server.
 */
import { request } from 'node:http';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { desk } from '../cli/command.ts';
import { fragments } from '../cli/manifests.ts';

/** `fetch` sets Host and Origin itself: a page of another site is simulated. */
function ask(
  url: string,
  { method = 'GET', headers = {}, body = '' }: Asked = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Addresses on which a process listens (Linux). */
function listening(pid: number): string[] {
  const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
    } catch {
      return undefined;
    }
  });
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === '0A')
    .filter((fields) => sockets.includes(fields[9]))
    .map(([, local = '']) => {
      const [ip = '', port = ''] = local.split(':');
      const bytes = [3, 2, 1, 0].map((n) => parseInt(ip.slice(2 * n, 2 * n + 2), 16));
      return `${bytes.join('.')}:${parseInt(port, 16)}`;
    });
}

const LIST = 'api/v1/namespaces/default/workflows';
const TERMINATE = `${LIST}/campaign%3Anight/terminate`;
const EVIL = 'http://evil.example';

test.runIf(process.platform === 'linux')(
  'a page of another site neither reads nor changes anything through the embedded server',
  async () => {
    const at = desk();
    fragments(at, 'night', 3);
    await at.runs(0, ['run', 'night.csv', '--services', 'local', '--detach', '-y']);
    const { ui, pid } = at.record('server') as { ui: string; pid: number };
    const { host, port } = new URL(ui);

    // The user's own browser. The UI connects to its server again a second after its first attempt, which was too early.
    await expect
      .poll(async () => (await ask(`${ui}/${LIST}`)).body, { timeout: 10_000 })
      .toContain('campaign:night');
    expect((await ask(`${ui}/`)).body).toContain('<!doctype html>');
    const own = { 'sec-fetch-site': 'same-origin', origin: ui };
    expect((await ask(`${ui}/${LIST}`, { headers: own })).status).toBe(200);
    expect((await ask(ui, { headers: { host: `localhost:${port}` } })).status).toBe(200);

    // DNS rebinding: the page's own name as Host.
    for (const name of ['evil.example', `evil.example:${port}`, `${host}.evil.example`, 'x']) {
      const { status } = await ask(`${ui}/${LIST}`, { headers: { host: name } });
      expect(status, name).toBe(403);
    }
    // A request across sites, which does harm without an answer.
    const posts = [
      { origin: EVIL },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: `http://localhost:1` },
    ];
    for (const headers of posts) {
      const sent = { method: 'POST', headers, body: '{}' };
      expect((await ask(`${ui}/${TERMINATE}`, sent)).status).toBe(403);
    }

    // Every other port of the server's process, with all names and paths.
    const doors = listening(pid);
    expect(doors.length).toBeGreaterThan(2);
    for (const door of doors) {
      // The UI's real address cannot be guessed from outside.
      if (!door.startsWith('127.0.0.1:')) continue;
      const none = () => ({ status: 0, body: '' });
      for (const path of [LIST, LIST.replace('api/v1/', ''), 'api/v1/namespaces']) {
        const headers = { host: 'evil.example' };
        const { status, body } = await ask(`http://${door}/${path}`, { headers }).catch(none);
        expect([0, 403, 404], `${door}/${path}: ${body}`).toContain(status);
      }
      const sent = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' };
      const { status } = await ask(`http://${door}/${TERMINATE}`, sent).catch(none);
      expect([0, 403, 404], door).toContain(status);
    }
    await at.runs(0, ['stop']);
  },
);
