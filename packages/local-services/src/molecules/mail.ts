/**
 * Mail of the molecule service (contract 6): one message to the address of a submission when its job has ended. Mail is
 * optional: a failed message is only logged, and does not affect the job.
 */
import type { FastifyBaseLogger } from 'fastify';
import { createTransport } from 'nodemailer';
import type { MoleculeJob } from '../engines/engine.ts';
import type { Job } from '../job.ts';
import type { JobStore } from '../jobs.ts';

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps). */
  readonly secure: boolean;
  readonly from: string;
}

/** Timeout for the SMTP server, in ms. */
const PATIENCE_MS = 10_000;

/** Exactly one address: a list would let one submission send mail to many. */
const ADDRESS = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

export class Mail {
  readonly #settings: MailSettings | null;
  readonly #jobs: JobStore;
  readonly #log: FastifyBaseLogger;
  readonly #sending = new Set<Promise<void>>();

  /** @param settings null: mail is not configured */
  constructor(settings: MailSettings | null, jobs: JobStore, log: FastifyBaseLogger) {
    this.#settings = settings;
    this.#jobs = jobs;
    this.#log = log;
  }

  /** Sends mail to the address of a job that has finished or failed, if its submission has one. */
  ended(id: string): void {
    const job = this.#jobs.get(id);
    // The fault `lose` removes running jobs.
    const email = job === undefined ? '' : (this.#jobs.details(job.seq)['email'] ?? '');
    if (job === undefined || email === '') return;
    if (this.#settings === null) {
      this.#log.info('a job with an e-mail address has ended: no mail is sent without --smtp');
    } else if (ADDRESS.test(email)) {
      const sending = this.#send(this.#settings, job, email).finally(() => {
        this.#sending.delete(sending);
      });
      this.#sending.add(sending);
    } else {
      this.#log.warn('a job has ended whose e-mail address cannot be used: no mail is sent');
    }
  }

  /** Returns when all messages are sent or have failed. */
  async close(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #send({ from, ...server }: MailSettings, job: Job, address: string): Promise<void> {
    const { fileName } = this.#jobs.input(job.seq).job as MoleculeJob;
    const end = job.state === 'FAILED' ? 'failed' : 'finished';
    const reason = job.error === null ? '' : `Reason: ${job.error}\n`;
    const transport = createTransport({
      ...server,
      connectionTimeout: PATIENCE_MS,
      greetingTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
    });
    try {
      await transport.sendMail({
        from,
        to: { name: '', address },
        subject: `Molecule job ${end}: ${fileName}`,
        text: `The job ${job.id} (${fileName}) has ${end}.\n${reason}Its record, with all files and the log, below the address of the service:\n/api/${job.id}/\n`,
      });
      this.#log.info('mail about the end of a job was sent');
    } catch (error) {
      // Its message may contain the address.
      const { code = 'unknown' } = error as { readonly code?: string };
      this.#log.warn({ code }, 'mail about the end of a job could not be sent');
    } finally {
      transport.close();
    }
  }
}
