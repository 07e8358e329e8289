/**
 * A web page can resolve its own name to 127.0.0.1 (DNS rebinding) and then read what listens there. Its name is still
 * in the Host header. Services that listen on a network have names that we do not know.
 */
import type { FastifyInstance } from 'fastify';
import { Refusal } from './refusal.ts';

const THIS_MACHINE = /^(127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/;

/** @param address that the services listen on */
export function refuseOtherNames(app: FastifyInstance, address: string): void {
  if (!THIS_MACHINE.test(address)) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const name = (request.headers.host ?? '').replace(/:\d*$/, '');
    done(
      THIS_MACHINE.test(name)
        ? undefined
        : new Refusal(
            403,
            'These services are for this machine: ask 127.0.0.1 or localhost (Host).',
          ),
    );
  });
}
