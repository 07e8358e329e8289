/**
 * What a service is: the requests that are sent to it as values, and what its answers mean as tables by status.
 *
 * A definition describes and reads. It never sends, waits, retries or sees a secret: that is done once, for every
 * service, by `client.ts` and `http.ts`, and so a definition cannot submit twice. Its functions are synchronous and
 * pure: equal arguments give equal values. An answer that a table does not list means what it means for any service
 * (docs/services.md). The outcomes `unsure` and `unavailable` cannot be returned by a definition: they are what remains.
 */
import { z } from 'zod';
import type { InputText } from '../domain/campaign.ts';
import type { Timing } from '../domain/outcomes.ts';

/** `500ms`, `10s`, `60m`, `14d`. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** The values of a service's own keys under `services.NAME` in the configuration. */
export type ServiceConfig = Readonly<Record<string, unknown>>;

/* ---- what is sent ---- */

/** One job, as a request for it is described. */
export interface Job<O = unknown> {
  readonly kind: string;
  readonly options: O;
  readonly input: InputText;
  /**
   * Made by the engine: unique for the credential, the same whenever the same work is sent, ASCII, and at most as long
   * as `identity` allows.
   */
  readonly name: string;
  readonly title: string | null;
  readonly email: string | null;
}

/** Where a secret goes. A definition names it and never sees its value. */
export type Auth =
  | {
      readonly secret: string;
      readonly in: 'header' | 'query' | 'body';
      /** Of the header, the parameter or the field. */
      readonly name: string;
      /** Before the value: `Bearer `. */
      readonly prefix?: string;
    }
  /** Names of two secrets. */
  | { readonly in: 'basic'; readonly user: string; readonly password: string };

type Fields = Readonly<Record<string, string | readonly string[]>>;

export type Body =
  | { readonly json: Json }
  | { readonly form: Fields }
  | {
      readonly multipart: Fields;
      readonly files: Readonly<Record<string, { readonly name: string; readonly text: string }>>;
    }
  | { readonly text: string; readonly type: string };

type Target =
  /** Segments below the address of the service; escaped, so that no id can change the path. '' at the end: a slash. */
  | { readonly path: readonly string[] }
  /**
   * A link that the service gave. At another origin only if `origins` has it, and then without secrets. A relative one
   * is resolved against the address of the service.
   */
  | { readonly link: string };

/** A description of a request; making one sends nothing. A submission is a POST, everything else a GET. */
export type Request = Target & {
  readonly query?: Fields;
  /** Never for a secret: `auth`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly auth?: readonly Auth[];
};

/* ---- what an answer means ---- */

/** A complete answer, without secrets. */
export interface Answer {
  readonly status: number;
  /** Of the request, without its query. */
  readonly path: string;
  readonly headers: Pick<Headers, 'get'>;
  /** What was read of the body. */
  readonly text: string;
  /** undefined: not JSON, or `isTooLarge`. */
  readonly json: unknown;
  /** Longer, or of more parts, than is read. */
  readonly isTooLarge: boolean;
  /** A web page: most often of a proxy, which has not passed on the request. */
  readonly isPage: boolean;
  /** The target of a redirect, absolute; null without one. Redirects are never followed. */
  readonly location: string | null;
  /** The target of `Link: <…>; rel="next"`, absolute; null without one. */
  readonly nextLink: string | null;
}

/** A function returns null for an answer that it does not understand. An outcome alone: the body is not read. */
export type Meaning<Outcome, Subject> =
  Outcome | ((answer: Answer, subject: Subject) => Outcome | null);

/** By status; an exact one counts before its class. What is not listed means what it means for any service. */
export type Answers<Outcome, Subject> = Readonly<
  Partial<Record<number | '2xx' | '3xx' | '4xx' | '5xx', Meaning<Outcome, Subject>>>
>;

/** Or by the configuration, if variants of a service answer differently. */
export type AnswersFor<Outcome, Subject, C> =
  Answers<Outcome, Subject> | ((config: C) => Answers<Outcome, Subject>);

export type SubmitMeaning =
  /**
   * An id that does not fit a path or `jobId.pattern` makes it `unsure`. `pollAfter`: not to be polled earlier.
   */
  | { readonly type: 'accepted'; readonly id: string; readonly pollAfter?: Duration }
  /** The row's own content is the reason, and no job exists: final. Without a message, the words of the answer. */
  | { readonly type: 'refused'; readonly message?: string }
  /** A job of this name exists already: it is looked up. */
  | { readonly type: 'nameTaken'; readonly message?: string }
  /**
   * Certainly no job, and the next row would get the same answer: the service waits, at least `after`, then one row is
   * tried. A 5xx cannot say that: it becomes `unsure`.
   */
  | {
      readonly type: 'notNow';
      readonly why: 'rateLimited' | 'unavailable' | 'credential' | 'address';
      readonly message: string;
      readonly after?: Duration;
    };

export type PollMeaning =
  | {
      readonly type: 'running';
      readonly progress?: number | null;
      readonly message?: string | null;
      readonly timing?: Partial<Timing> | null;
      /** Not to be polled earlier. */
      readonly after?: Duration;
    }
  | { readonly type: 'finished' }
  /** Without a message, the words of the answer. A 5xx that says so is asked once more. */
  | {
      readonly type: 'failed';
      readonly message?: string | null;
      readonly timing?: Partial<Timing> | null;
    }
  /** The service no longer has it: final. A 5xx that says so is asked once more. */
  | { readonly type: 'deleted'; readonly message?: string | null }
  /** There is no such job: asked again for a while, before it counts as lost. */
  | { readonly type: 'unknown'; readonly message?: string | null };

export type FileMeaning =
  | { readonly type: 'absent'; readonly message?: string }
  /** Asked again later. */
  | { readonly type: 'notYet' }
  /** It may be there; if it is not either, the first answer counts. */
  | { readonly type: 'at'; readonly request: Request };

/** A job in a list. */
export interface ListedJob {
  readonly id: string;
  /** What it may have been submitted under, from all fields that can contain it. */
  readonly names: readonly string[];
  /** As the service reports it. */
  readonly state: string | null;
  /** ISO 8601, like the next; null if the service does not report it. */
  readonly submittedAt: string | null;
  readonly finishedAt: string | null;
}

export type ListMeaning =
  /** `next`: the next page; null at the end of the list. */
  | {
      readonly type: 'page';
      readonly jobs: readonly ListedJob[];
      readonly next: Request | null;
    }
  /** Not an empty list: without one, it is unknown whether a job exists. */
  | { readonly type: 'unsupported' };

/** It is this service. */
export type ProbeMeaning = { readonly type: 'right' };

/* ---- a definition ---- */

/** What finds a job after the answer to its submission was lost. */
export type Identity =
  /** A name is accepted once for a credential: looked up in `list`, and if it is absent sent again under the same name. */
  | { readonly by: 'name'; readonly maxLength: number }
  /** Names are kept and may repeat: looked up in `list`; absent counts only this long after the submission. */
  | { readonly by: 'list'; readonly maxLength: number; readonly settles: Duration }
  /**
   * The same request gives the same job for this long: it is sent again, if its bytes are the same. `header`: a request
   * is the same if it has the same key, which the engine makes.
   */
  | { readonly by: 'request'; readonly within: Duration; readonly header?: string }
  /** Nothing: the item is held, and the user decides. */
  | { readonly by: 'nothing' };

export interface Secret {
  readonly description: string;
  /** The environment variable that holds it, unless the configuration names another source. */
  readonly env: string;
  /** A file, for the reference page. */
  readonly example?: string;
  /** Exact number of characters, if the service requires one. */
  readonly length?: number;
  /** Maximum. */
  readonly maxLength?: number;
}

/** When a job is polled, and how often requests may follow each other. */
export interface Pace {
  /** A young job. */
  readonly every: Duration;
  /** An old one: the interval grows with its age. */
  readonly atMost: Duration;
  /**
   * Between any two requests of one worker to the service, pages and lists included. A submission counts and does not
   * wait, because its time is the budget's: `{ limit: 1, window: … }` there spaces submissions, of all workers.
   */
  readonly between?: Duration;
}

/** What is known of the id of a job. */
export interface JobId {
  /** An id that does not match is not used. */
  readonly pattern?: RegExp;
  /** Ids that differ only by case are the same. */
  readonly ignoreCase?: boolean;
}

/** The jobs that the service can be asked about. */
export interface Remote<C> {
  readonly id: string;
  readonly config: C;
}

export interface FileRequest<C> {
  /** For a file behind a link of an answer: what has the link (`at`). */
  readonly request: (id: string, config: C) => Request;
  /** A 200 is the file, unless a function says otherwise; it is shown the answers of at most 64 KB. */
  readonly answers?: AnswersFor<FileMeaning, Remote<C>, C>;
  /** Only for a paged artefact: the next page, by a page of at most 8 MB; null at the end. */
  readonly next?: (page: Answer, remote: Remote<C>) => Request | null;
}

/** A kind, as far as a service depends on it (src/kinds/kind.ts). */
export interface ServedKind {
  readonly name: string;
}

/** The options of a kind: what its input is read with. */
type OptionsOf<K> = K extends { readonly input: { readonly read: (...args: infer A) => unknown } }
  ? A extends readonly [unknown, infer O, ...unknown[]]
    ? O
    : unknown
  : unknown;

/** The names of the files that an ended job of the kind offers. */
type ArtefactsOf<K> = K extends { readonly artefacts: infer A } ? keyof A & string : string;

export interface ServiceDefinition<
  N extends string,
  K extends ServedKind,
  C extends z.ZodObject,
  O = z.output<C>,
> {
  /** `[a-z][a-z0-9-]*`: its key under `services:` in the configuration, and its name in records. */
  readonly name: N;
  /** In a sentence: "the molecule service". */
  readonly title: string;
  /** The conditions of use that the numbers come from: an address, or the name of a document. */
  readonly terms?: string;
  /** What computes the results, for the report and the crate; default: the service itself. */
  readonly software?: {
    readonly name: string;
    readonly url: string;
    readonly citation?: string;
    /** Matches its version in a result. */
    readonly version?: RegExp;
  } | null;
  /** The kinds of rows that are sent to it. A kind belongs to one service. */
  readonly kinds: readonly K[];
  /** Its address. `default`: used if the configuration names none; without it, it is required there. */
  readonly url?: {
    readonly default?: string;
    readonly description?: string;
    readonly example?: string;
  };
  /** Other origins that links may lead to: `https://files.example.org`, `https://*.example.org`. */
  readonly origins?: readonly string[];
  /** By their key under `services.NAME`; default: one, `token`. Empty: the service needs none. */
  readonly secrets?: Readonly<Record<string, Secret>>;
  /** Further keys under `services.NAME`: each with a description, and a default unless it is required. */
  readonly config?: C;
  /** Configurations under which a server may answer: the address of another one is named to the user. */
  readonly variants?: readonly Partial<O>[];
  readonly budget: {
    readonly description?: string;
    /** Jobs in any rolling window, `60m` or the like; all of them hold at once. Empty: the service states no limit. */
    readonly windows: readonly { readonly limit: number; readonly window: string }[];
    /**
     * Jobs that the service has accepted and not ended: enough to keep it busy, without making others wait for hours.
     * null: no bound.
     */
    readonly maxOpen: number | null;
    /** Which submissions a window counts: those that were accepted (if left out), or all that were sent. */
    readonly counts?: 'accepted' | 'sent';
  };
  readonly pace: Pace;
  readonly identity: Identity;
  readonly jobId?: JobId;
  /** The one request that may create a job: sent once, and never repeated but by `identity`. */
  readonly submit: {
    readonly request: {
      readonly [X in K['name']]: (
        job: Job<OptionsOf<Extract<K, { readonly name: X }>>>,
        config: O,
      ) => Request;
    };
    readonly answers: AnswersFor<SubmitMeaning, { readonly job: Job; readonly config: O }, O>;
  };
  readonly poll: {
    readonly request: (id: string, config: O) => Request;
    readonly answers: AnswersFor<PollMeaning, Remote<O>, O>;
    /** Maximum bytes of an answer that are read; default: 1 MB. */
    readonly maxBytes?: number;
  };
  /** By artefact of its kinds. */
  readonly fetch: { readonly [A in ArtefactsOf<K>]: FileRequest<O> };
  /** The jobs of our credential. A service without a list may say why, for people. */
  readonly list?:
    | {
        /** null: there is no list of this kind. `name`: only the job of this name is wanted, if the service can filter. */
        readonly request: (
          query: { readonly kind: string; readonly name: string | null },
          config: O,
        ) => Request | null;
        readonly answers: AnswersFor<ListMeaning, { readonly kind: string; readonly config: O }, O>;
        /** Maximum bytes of a page; default: 8 MB. */
        readonly maxBytes?: number;
      }
    | { readonly missing: string };
  /** A GET that costs nothing and shows that this service is here and well, such as that of a job that does not exist. */
  readonly probe: {
    readonly request: (config: O) => Request;
    /** Whether it is this service. An answer without a meaning may be its own. */
    readonly answers: AnswersFor<ProbeMeaning, { readonly config: O }, O>;
    /** Where jobs are submitted by POST, if a GET there is refused and creates none: tells a wrong address from an unknown job. */
    readonly submitPath?: (config: O) => Request;
  };
}

// The kinds and the configuration of a service concern only its own definition.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type AnyDefinition = Required<ServiceDefinition<string, any, any, any>>;

/** A definition with the defaults of what it leaves out. */
export type Service = Omit<AnyDefinition, 'config' | 'kinds'> & {
  readonly kinds: readonly ServedKind[];
  readonly config: z.ZodObject;
};

export function defineService<
  const N extends string,
  K extends ServedKind,
  C extends z.ZodObject = z.ZodObject,
>(definition: ServiceDefinition<N, K, C>): Service & { readonly name: N } {
  const { name, title } = definition;
  const token = {
    description: 'Source of your token for this service.',
    env: `HUNDREDFOLD_${name.toUpperCase().replaceAll('-', '_')}_TOKEN`,
  };
  return {
    terms: '',
    url: {},
    origins: [],
    secrets: { token },
    config: z.object({}),
    variants: [],
    software: null,
    jobId: {},
    list: { missing: `${title} has no list of the jobs of a user` },
    ...(definition as unknown as ServiceDefinition<N, ServedKind, z.ZodObject>),
  };
}

/** Maximum characters of a job's name; null if a name finds no job. */
export function findMaxNameLength({ identity }: Pick<Service, 'identity'>): number | null {
  return identity.by === 'name' || identity.by === 'list' ? identity.maxLength : null;
}

/** With the defaults of what is not configured. */
export function parseConfig(service: Service, config: ServiceConfig): ServiceConfig {
  return service.config.parse(config);
}
