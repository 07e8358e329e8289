/**
 * Coded errors: this project never throws a bare string. A code is stable and searchable; the message says what happened
 * and where, the remedy what to do. Both stand where the error is thrown; test/goldens/errors.txt has them all.
 */
import type { ItemEndCode } from './item-ends.ts';
import { escapeUnsafe } from './plain-text.ts';

/** Exit codes of the command line. */
export const EXIT = {
  ok: 0,
  usage: 1,
  refused: 2,
  incomplete: 3,
  cancelled: 4,
  interrupted: 130,
} as const;

type ExitName = keyof typeof EXIT;

/** The codes of errors, and how a command ends that fails with one. */
export const ERROR_EXITS = {
  USAGE: 'usage',
  NAME_INVALID: 'refused',
  UI_UNAVAILABLE: 'usage',
  CAMPAIGN_DIFFERS: 'refused',
  CAMPAIGN_UNREPLAYABLE: 'usage',
  CAMPAIGN_RUNNING: 'refused',
  ITEM_NOT_RETRYABLE: 'refused',
  CAMPAIGN_NOT_ENDED: 'refused',
  ITEM_UNKNOWN: 'usage',
  CAMPAIGN_UNKNOWN: 'usage',
  CAMPAIGN_NOT_PUBLISHED: 'usage',
  MANIFEST_EMPTY: 'refused',
  MANIFEST_REFUSED: 'refused',
  INTERRUPTED: 'interrupted',
  ADOPT_REFUSED: 'refused',
  EXPORT_WOULD_REPLACE: 'refused',
  EXPORT_NOTHING: 'refused',
  PULL_REFUSED: 'refused',
  STATE_FOLDER_UNUSABLE: 'refused',
  CONFIG_INVALID: 'refused',
  CONFIG_NOT_WRITTEN: 'usage',
  CONFIG_SECRET_MISSING: 'refused',
  CONFIG_TLS_INVALID: 'refused',
  CONFIG_TOKEN_OVER_HTTP: 'refused',
  CONFIG_NO_SERVICE: 'refused',
  SERVICE_URL_WRONG: 'refused',
  LANE_ENGINE_UNKNOWN: 'refused',
  LANE_ENGINE_DIFFERS: 'refused',
  PLUGIN_REFUSED: 'refused',
  SETUP_FAILED: 'usage',
  PACKAGE_INCOMPLETE: 'usage',
  TEMPORAL_CLI_UNUSABLE: 'usage',
  TEMPORAL_NOT_STARTED: 'usage',
  TEMPORAL_DATABASE_DAMAGED: 'usage',
  TEMPORAL_UNREACHABLE: 'usage',
  TEMPORAL_SILENT: 'usage',
  WORKER_SILENT: 'usage',
  TEMPORAL_UNAUTHENTICATED: 'usage',
  TEMPORAL_PERMISSION_DENIED: 'usage',
  TEMPORAL_NAMESPACE_MISSING: 'usage',
  TEMPORAL_ATTRIBUTES_REFUSED: 'usage',
  TEMPORAL_TLS: 'usage',
  METRICS_PORT: 'refused',
  HOST_BUSY: 'refused',
  HOST_NOT_READY: 'usage',
  HOST_FOLDER_UNUSABLE: 'refused',
  HOST_DOES_NOT_STOP: 'usage',
  LOCAL_SERVICES_FAILED: 'usage',
  LEDGER_UNUSABLE: 'usage',
  LEDGER_DAMAGED: 'usage',
  DOWNLOAD_BROKEN: 'usage',
  STORE_ACCESS_DENIED: 'usage',
  STORE_UNUSABLE: 'usage',
  STORE_BUSY: 'usage',
  STORE_FULL: 'usage',
  STORE_DIGEST_MISMATCH: 'usage',
  STORE_BAD_KEY: 'usage',
  STORE_IO: 'usage',
  STORE_UNREACHABLE: 'usage',
  STORE_TRUNCATED: 'usage',
  STORE_MISSING: 'usage',
  STORE_RECORD_UNREADABLE: 'usage',
  STORE_NOT_PREPARED: 'usage',
  ITEM_RECORD_FOREIGN: 'usage',
  TREE_NOT_HERE: 'refused',
  TREE_OTHER_PLUGIN: 'refused',
  TREE_LEASED: 'refused',
  TOKEN_LEASED: 'refused',
  NOTIFY_FAILED: 'usage',
} as const satisfies Readonly<Record<string, ExitName>>;

/** Code of an error. Items end with such a code, too. */
export type ErrorCode = keyof typeof ERROR_EXITS | ItemEndCode;

export interface ErrorOptions {
  /** Exit code of the command that fails with it, if it differs from that of the code. */
  readonly exitCode?: number;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** An error that the user can fix: shown without a stack trace. */
export class HundredfoldError extends Error {
  /** Stable, in capitals: `CAMPAIGN_UNKNOWN`. */
  readonly code: ErrorCode;
  /** What the user can do, in a sentence. */
  readonly remedy: string;
  /** Exit code of a command that fails with this error. */
  readonly exitCode: number;

  /** @param message what happened, in a sentence */
  constructor(
    code: ErrorCode,
    message: string,
    remedy: string,
    { cause, exitCode = chooseExit(code) }: ErrorOptions = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'HundredfoldError';
    this.code = code;
    this.remedy = remedy;
    this.exitCode = exitCode;
  }
}

function chooseExit(code: ErrorCode): number {
  return EXIT[code in ERROR_EXITS ? ERROR_EXITS[code as keyof typeof ERROR_EXITS] : 'usage'];
}

/** The first line of an error's message. */
export function toReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return escapeUnsafe(text.split('\n', 1)[0] ?? '');
}
