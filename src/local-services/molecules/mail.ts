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

type Transport = ReturnType<typeof createTransport>;

export class Mail {
  readonly #transport: Transport | null;
  readonly #from: string;
  readonly #jobs: JobStore;
  readonly #log: FastifyBaseLogger;
  readonly #sending = new Set<Promise<void>>();

  /** @param settings null: mail is not configured */
  constructor(settings: MailSettings | null, jobs: JobStore, log: FastifyBaseLogger) {
    const times = {
      connectionTimeout: PATIENCE_MS,
      greetingTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
    };
    this.#from = settings?.from ?? '';
    this.#transport = settings === null ? null : createTransport({ ...settings, ...times });
    this.#jobs = jobs;
    this.#log = log;
  }

  /** Sends mail to the address of a job that has finished or failed, if its submission has one. */
  ended(id: string): void {
    const job = this.#jobs.get(id);
    // The fault `lose` removes running jobs.
    if (job === undefined) return;
    const email = this.#jobs.details(job.seq)['email'] ?? '';
    if (email === '') return;
    if (this.#transport === null) {
      this.#log.info('a job with an e-mail address has ended: no mail is sent without --smtp');
    } else if (ADDRESS.test(email)) {
      const sending = this.#send(this.#transport, job, email).finally(() => {
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
    this.#transport?.close();
  }

  async #send(transport: Transport, job: Job, email: string): Promise<void> {
    const { subject, text } = this.#message(job);
    try {
      await transport.sendMail({
        from: this.#from,
        to: { name: '', address: email },
        subject,
        text,
      });
      this.#log.info('mail about the end of a job was sent');
    } catch (error) {
      // Its message may contain the address.
      const { code = 'unknown' } = error as { readonly code?: string };
      this.#log.warn({ code }, 'mail about the end of a job could not be sent');
    }
  }

  #message(job: Job): { subject: string; text: string } {
    const { fileName } = this.#jobs.input(job.seq).job as MoleculeJob;
    const failed = job.state === 'FAILED';
    const subject = `Molecule job ${failed ? 'failed' : 'finished'}: ${fileName}`;
    const lines = [
      `The job ${job.id} (${fileName}) has ${failed ? 'failed' : 'finished'}.`,
      ...(job.error === null ? [] : [`Reason: ${job.error}`]),
      'Its record, with all files and the log, below the address of the service:',
      `/api/${job.id}/`,
    ];
    return { subject, text: `${lines.join('\n')}\n` };
  }
}
