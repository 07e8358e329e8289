/** A scene whose service answers POSTs slowly: it has accepted the job, and the client does not know yet. */
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import type { JournalEntry } from '../../src/local-services/journal.ts';
import { freePort } from '../../src/temporal/ports.ts';
import type { Desk } from '../cli/command.ts';
import { scene, services, type Scene } from './operated-worker.ts';

/** The grace period that a scheduler must give a worker, docs/workers.md. */
export const STOPS_WITHIN_MS = 45_000;

interface SlowScene {
  readonly set: Scene;
  readonly slow: SlowService;
  /** Ends the services, and returns the submissions. */
  readonly submitted: () => Promise<JournalEntry[]>;
}

export async function slowScene(at: Desk, ms: number): Promise<SlowScene> {
  const port = await freePort();
  const slow = await slowly(`http://127.0.0.1:${port}`, ms);
  const set: Scene = { ...(await scene(at, inject('temporal'), slow.url)), port };
  const served = await services(at, set);
  const submitted = async (): Promise<JournalEntry[]> => {
    served.kill('SIGTERM');
    await served.endsWith(0);
    return at.journal(at.path('services.db'));
  };
  return { set, slow, submitted };
}

interface SlowService {
  readonly url: string;
  /** POSTs that have arrived and are not answered. */
  readonly waiting: () => number;
  /** POSTs whose client disconnected before the answer. */
  readonly abandoned: () => number;
}

/** @param target address of the real service @param ms additional delay of the answer to a POST */
async function slowly(target: string, ms: number): Promise<SlowService> {
  let waiting = 0;
  let abandoned = 0;
  const server = createServer((incoming, response) => {
    const isPost = incoming.method === 'POST';
    if (isPost) waiting += 1;
    response.once('close', () => {
      if (isPost) waiting -= 1;
      if (isPost && !response.writableEnded) abandoned += 1;
    });
    const { method, headers, url = '/' } = incoming;
    const onward = httpRequest(
      new URL(url, target),
      { method, headers, agent: false },
      (answer) => {
        void delay(isPost ? ms : 0).then(() => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
      },
    );
    onward.once('error', () => response.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, waiting: () => waiting, abandoned: () => abandoned };
}
