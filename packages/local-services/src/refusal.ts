/**
 * An error response. Thrown by the handlers' readers and checks, converted by the one error handler in
 * `error-answers.ts`: the body always has `error` (contract of the prediction service, 7; also used for the molecule
 * service, whose contract does not show errors).
 */
export class Refusal extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    error: string,
    more: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(error);
    this.name = 'Refusal';
    this.status = status;
    this.body = { error, ...more };
    this.headers = headers;
  }
}

export function tooLarge(bodyLimit: number): Refusal {
  const most = String(Math.floor(bodyLimit / 1024));
  return new Refusal(413, `The body is too large: at most ${most} KiB are taken.`);
}
