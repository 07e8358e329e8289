/**
 * The interface of every service adapter: the same methods, closed outcomes, no exceptions for what a service does. To
 * add a third service, add one folder with these methods and one line in `src/services/registry.ts`.
 */
import type { InputText, Kind, Options } from '../domain/item.ts';
import type {
  ArtefactName,
  FetchOutcome,
  FindOutcome,
  ListOutcome,
  PingOutcome,
  PollOutcome,
  SubmitOutcome,
} from '../domain/outcomes.ts';
import type { Permission } from './submission-line.ts';

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

export interface RequestOptions {
  /**
   * Aborts the request. A submission is then `unsure`, or `notNow` if no byte of it was written; everything else is
   * `unavailable`.
   */
  readonly signal: AbortSignal;
}

export interface SubmitOptions extends RequestOptions {
  /** It is not sent if the service has failed since then; default: allowed now. */
  readonly permission?: Permission;
  /** Called once, when a connection is available and before a byte is written; false: it must no longer be sent. */
  readonly beforeSending?: () => Promise<boolean>;
  /** Called after it, just before the first byte; false: it must not be sent, and is `notNow`. */
  readonly mayBegin?: () => boolean;
}

export interface ServiceClient {
  /** The service is on a local network: results of the synthetic engine are accepted from it (synthetic.ts). */
  readonly mayBeSynthetic: boolean;
  submit(job: Job, options: SubmitOptions): Promise<SubmitOutcome>;
  poll(remoteId: string, options: RequestOptions): Promise<PollOutcome>;
  fetch(remoteId: string, artefact: ArtefactName, options: RequestOptions): Promise<FetchOutcome>;
  /** Looks a job up by the name it was submitted with. */
  find(kind: Kind, name: string, options: RequestOptions): Promise<FindOutcome>;
  /** All jobs of a kind that the service has for our token. */
  list(kind: Kind, options: RequestOptions): Promise<ListOutcome>;
  /** Requests a job that does not exist: costs nothing, and shows whether the service is available. */
  ping(options: RequestOptions): Promise<PingOutcome>;
  /** The files that a finished job of this kind offers, beginning with the one that must exist first. */
  artefacts(kind: Kind): readonly ArtefactName[];
  /** What a failed job of this kind still offers: its log. */
  artefactsOfFailed(kind: Kind): readonly ArtefactName[];
  /** Closes idle connections. */
  close(): Promise<void>;
}
