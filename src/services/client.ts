/**
 * The shape that every service adapter has: the same verbs, closed outcomes, no exceptions for what a service does.
 * Adding a third service means one folder with these verbs and one line in `src/services/registry.ts`.
 */
import type { InputText, Kind, Options } from '../domain/item.ts';
import type {
  ArtefactName,
  FetchOutcome,
  FindOutcome,
  ListOutcome,
  OfferOutcome,
  PingOutcome,
  PollOutcome,
  SubmitOutcome,
} from '../domain/outcomes.ts';

/** What is sent to a service. */
export interface Job {
  readonly kind: Kind;
  readonly options: Options;
  readonly input: InputText;
  /** Unique for the credential and derived from campaign, item and input digest: an idempotency key where the service has one. At most 120 characters. */
  readonly name: string;
  readonly title: string | null;
  readonly email: string | null;
}

export interface CallOptions {
  /**
   * Aborts the request. A submission is then `unsure`, or `notNow` while not a byte of it was written; everything else
   * is `unavailable`.
   */
  readonly signal: AbortSignal;
}

export interface SubmitOptions extends CallOptions {
  /** When it was decided that the job may be sent (ms since the epoch): a service found unwell since is spared it. */
  readonly grantedAt?: number;
  /** Called once, when a connection may be used for it and before a byte is written; false: it may not be sent any more. */
  readonly beforeSending?: () => Promise<boolean>;
}

export interface PollOptions extends CallOptions {
  /** Of the job, for a service that lists its jobs by kind. */
  readonly kind?: Kind;
}

export interface ServiceClient {
  /** It lies on a local network: results of the synthetic engine are accepted from it (synthetic.ts). */
  readonly mayBeSynthetic: boolean;
  /** Whether the service takes such a job: an option beyond its contract is sent only where it is announced. Costs no slot. */
  offer(job: Job, options: CallOptions): Promise<OfferOutcome>;
  submit(job: Job, options: SubmitOptions): Promise<SubmitOutcome>;
  poll(remoteId: string, options: PollOptions): Promise<PollOutcome>;
  fetch(remoteId: string, artefact: ArtefactName, options: CallOptions): Promise<FetchOutcome>;
  /** Looks a job up by the name it was submitted with. */
  find(kind: Kind, name: string, options: CallOptions): Promise<FindOutcome>;
  /** All jobs of a kind that the service holds for our token. */
  list(kind: Kind, options: CallOptions): Promise<ListOutcome>;
  /** Asks for a job that does not exist: costs nothing, and tells whether the service is there. */
  ping(options: CallOptions): Promise<PingOutcome>;
  /** The files that a finished job of this kind offers, the one that must exist first. */
  artefacts(kind: Kind): readonly ArtefactName[];
  /** What a job of this kind that failed still offers: its log. */
  artefactsOfFailed(kind: Kind): readonly ArtefactName[];
  /** Closes idle connections. */
  close(): Promise<void>;
}
