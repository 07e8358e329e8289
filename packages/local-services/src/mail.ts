/**
 * Mail of the molecule service (contract 6): one message to the address of a submission when its job has ended. Mail is
 * optional: a failed message is only logged, and does not affect the job.
 */
import type { FastifyBaseLogger } from 'fastify';
import { createTransport } from 'nodemailer';
import type { MoleculeJob } from './engines/engine.ts';
import type { JobStore } from './jobs.ts';

const FROM = 'molecules@localhost';
/** For the SMTP server. */
const TIMEOUT_MS = 10_000;
/** Exactly one address: a list would let one submission send mail to many. */
const ADDRESS = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

export class Mail {
  readonly #server: string | undefined;
  readonly #jobs: JobStore;
  readonly #log: FastifyBaseLogger;
  #last = Promise.resolve();

  /** @param server `smtp://host:port`; without one, there is a line in the log */
  constructor(server: string | undefined, jobs: JobStore, log: FastifyBaseLogger) {
    this.#server = server;
    this.#jobs = jobs;
    this.#log = log;
  }

  /** Sends mail about a job that has finished or failed, if its submission has an address. */
  send(id: string): void {
    const job = this.#jobs.get(id);
    // The fault `lose` removes running jobs.
    if (job === undefined) return;
    const { job: input, details } = this.#jobs.input(job.seq);
    const { email: address } = details;
    if (!address) return;
    if (this.#server === undefined) {
      this.#log.info('a job with an e-mail address has ended: no mail is sent without --smtp');
    } else if (ADDRESS.test(address)) {
      const { fileName } = input as MoleculeJob;
      const end = job.state === 'FAILED' ? 'failed' : 'finished';
      const reason = job.error === null ? '' : `Reason: ${job.error}\n`;
      const text = `The job ${id} (${fileName}) has ${end}.\n${reason}Its record, with all files and the log, below the address of the service:\n/api/${id}/\n`;
      const subject = `Molecule job ${end}: ${fileName}`;
      const message = { to: { name: '', address }, subject, text };
      const server = this.#server;
      this.#last = this.#last.then(() => this.#deliver(server, message));
    } else this.#log.warn('the e-mail address of a job cannot be used: no mail is sent');
  }

  async #deliver(server: string, message: object): Promise<void> {
    const url = new URL(server);
    url.search = `connectionTimeout=${TIMEOUT_MS}&socketTimeout=${TIMEOUT_MS}`;
    const transport = createTransport(url.href);
    try {
      await transport.sendMail({ from: FROM, ...message });
      this.#log.info('mail about the end of a job was sent');
    } catch (error) {
      // Its message may contain the address.
      const { code = 'unknown' } = error as { readonly code?: string };
      this.#log.warn({ code }, 'mail about the end of a job could not be sent');
    } finally {
      transport.close();
    }
  }

  /** Returns when all messages are sent or have failed. */
  async close(): Promise<void> {
    await this.#last;
  }
}
