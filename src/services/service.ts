/**
 * What a service is: the requests that are sent to it as values, and what its answers mean as tables by status.
 *
 * A definition describes and reads. It never sends, waits, retries or sees a secret: that is done once, for every
 * service, by `client.ts` and `http.ts`, and so a definition cannot submit twice. An answer that a table does not list
 * means what it means for any service (`readSubmission`, `readPoll` and `download` say what). The outcomes `unsure` and
 * `unavailable` cannot be returned by a definition: they are what remains.
 */
import { z } from 'zod';
import type { InputText, Kind, Options, ServiceName } from '../domain/item.ts';
import type { ArtefactName, PastJob, Timing } from '../domain/outcomes.ts';

/** The values of a service's own keys under `services.NAME` in the configuration. */
export type ServiceConfig = Readonly<Record<string, unknown>>;

/** What a user configures for a service; the texts are for the reference page and the schema for editors. */
export interface ServiceSetup<C extends ServiceConfig> {
  readonly description: string;
  readonly url: { readonly description: string; readonly example: string };
  readonly token: {
    readonly description: string;
    /** The environment variable that holds it, unless the configuration names another source. */
    readonly variable: string;
    readonly example: string;
    /** Exact number of characters, if the service requires one. */
    readonly length?: number;
    /** Maximum. */
    readonly maxLength: number;
  };
  readonly budget: {
    readonly description: string;
    /** Jobs in any rolling window, `60m` or the like; all of them hold at once. Empty: the service states no limit. */
    readonly windows: readonly { readonly limit: number; readonly window: string }[];
    /**
     * Jobs that the service has accepted and not ended: enough to keep it busy, without making others wait for hours.
     * null: no bound.
     */
    readonly maxOpen: number | null;
    /** Which submissions a window counts: those that were accepted (if left out), or all that were sent. */
    readonly counts?: 'accepted' | 'sent';
    readonly example: unknown;
  };
  /** Keys of its own: each a schema with a description, its default and, for the reference page, examples. */
  readonly keys: { readonly [K in keyof C]: z.ZodType };
  readonly defaults: C;
}

/** An environment variable gives it as text. */
export const flag = z.boolean().or(z.enum(['true', 'false']).transform((text) => text === 'true'));

/** What is sent to a service. */
export interface Job {
  readonly kind: Kind;
  readonly options: Options;
  readonly input: InputText;
  /**
   * Unique for the credential and derived from campaign, item and input digest: an idempotency key if the service has
   * one. At most 120 characters.
   */
  readonly name: string;
  readonly title: string | null;
  readonly email: string | null;
}

/** Where the token goes. A definition names the place and never sees the value. */
export interface Auth {
  readonly in: 'header' | 'body';
  readonly name: string;
}

export type Body =
  | { readonly json: Readonly<Record<string, unknown>> }
  | {
      readonly multipart: Readonly<Record<string, string>>;
      readonly files: Readonly<Record<string, { readonly name: string; readonly text: string }>>;
    };

/** A description of a request; making one sends nothing. */
export interface Request {
  /** Segments below the address of the service; escaped, so that no id can change the path. '' at the end: a slash. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly auth?: Auth;
}

/** An answer without secrets. Redirects are never followed. */
export interface Answer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  /** What was read of the body. */
  readonly text: string;
  /** undefined: not JSON, or `isTooLarge`. */
  readonly json: unknown;
  /** Longer, or of more parts, than is read. */
  readonly isTooLarge: boolean;
}

/** A function returns null for an answer that it does not understand. An outcome alone: the body is not read. */
export type Meaning<Outcome> = Outcome | ((answer: Answer) => Outcome | null);
/** By status; an exact one counts before `4xx`. */
export type Answers<Outcome> = Readonly<Partial<Record<number | '2xx' | '4xx', Meaning<Outcome>>>>;

export interface SubmitMeaning {
  readonly type: 'accepted';
  /** The id of the job; a text that is unusable in a path makes the outcome `unsure`. */
  readonly id: string;
}

export type PollMeaning =
  | {
      readonly type: 'running';
      readonly progress?: number | null;
      readonly message?: string | null;
      readonly timing?: Timing | null;
    }
  | { readonly type: 'finished' }
  /** Without a message, the words of the answer count. */
  | { readonly type: 'failed'; readonly message: string | null; readonly timing?: Timing | null }
  /** There is no such job, or no longer. */
  | { readonly type: 'lost' };

/** A job in a list. `names`: what it may have been submitted under, from all fields that can contain it. */
export type ListedJob = Omit<PastJob, 'kind' | 'jobName'> & { readonly names: readonly string[] };

export interface ListMeaning {
  readonly type: 'page';
  readonly jobs: readonly ListedJob[];
  /** The query of the next page; null at the end of the list. */
  readonly next: Readonly<Record<string, string>> | null;
}

export interface FileRequest<C> {
  /** null: not wanted with this configuration. */
  readonly request: (id: string, config: C) => Request | null;
  /** Where the file may be if the service does not know the first path (404). */
  readonly elsewhere?: (id: string, config: C) => Request;
}

type JobOf<K extends Kind> = Job & { readonly options: Extract<Options, { readonly kind: K }> };

// The configuration of a service concerns only its own definition.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface Service<C extends ServiceConfig = any> {
  readonly name: ServiceName;
  /** In a sentence: "the molecule service". */
  readonly title: string;
  readonly setup: ServiceSetup<C>;
  /** Configurations under which a server may answer: the address of another one is named to the user. */
  readonly variants: readonly Partial<C>[];
  /**
   * By kind: the artefacts of a finished job, beginning with the one that must exist first, and those that a failed job
   * still offers. A kind that is not listed is not taken.
   */
  readonly artefacts: Readonly<
    Partial<
      Record<
        Kind,
        { readonly finished: readonly ArtefactName[]; readonly failed: readonly ArtefactName[] }
      >
    >
  >;
  /** The one request that may create a job: sent once, and never repeated but by `identity`. */
  readonly submit: {
    readonly request: { readonly [K in Kind]?: (job: JobOf<K>, config: C) => Request };
    /** Of 2xx. */
    readonly accepted: (answer: Answer) => SubmitMeaning | null;
  };
  readonly poll: {
    readonly request: (id: string, config: C) => Request;
    readonly answers: (config: C) => Answers<PollMeaning>;
    /** Maximum bytes of an answer that are read. */
    readonly maxBytes: number;
  };
  readonly fetch: Readonly<Partial<Record<ArtefactName, FileRequest<C>>>>;
  /**
   * What finds a job after its answer was lost. `name`: unique for a token, and looked up in `list`; `nothing`: the item
   * is held, and the user decides.
   */
  readonly identity: 'name' | 'nothing';
  /** The jobs of our token. A service without one says why. */
  readonly list:
    | {
        readonly request: (
          kind: Kind,
          query: Readonly<Record<string, string>>,
          config: C,
        ) => Request | null;
        readonly read: (json: unknown) => ListMeaning;
        readonly maxBytes: number;
      }
    | { readonly missing: string };
  readonly probe: {
    /** A GET of a job that does not exist: costs nothing, and shows that the service is there. */
    readonly request: (config: C) => Request;
    /** Whether the answer is that of this service for an unknown job; null: its words are not known. */
    readonly recognise: ((status: number, json: unknown) => boolean) | null;
    /** Where jobs are submitted by POST: a GET there is refused, and creates none. */
    readonly submitPath: (config: C) => Request;
  };
}

export function defineService<C extends ServiceConfig>(service: Service<C>): Service<C> {
  return service;
}
