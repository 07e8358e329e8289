/** A failure of a set-up step that the user can fix: shown without a stack trace. */
export class SetupProblem extends Error {
  /** `remedy` says what to do, in a sentence or two; `detail` is the failing program's own output. */
  readonly code: string;
  readonly remedy: string;
  readonly detail: string;

  constructor(code: string, message: string, remedy: string, detail = '') {
    super(message);
    this.name = 'SetupProblem';
    this.code = code;
    this.remedy = remedy;
    this.detail = detail;
  }
}

const STACK_LINE = /^(npm error)?\s+at \S/;

/** The end of a program's output, where npm and pip say what is wrong, without the stack of the program. */
export function lastLines(text: string, count = 12): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !STACK_LINE.test(line));
  return lines.slice(-count).join('\n');
}

const DISK_FULL = /ENOSPC|No space left on device|EDQUOT|Disk quota exceeded/i;
const NO_NETWORK =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|name resolution|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|Failed to establish|error sending request|network/i;
const NO_RIGHT = /EACCES|EPERM|Permission denied|EROFS|Read-only file system/i;

/** Failures common to all steps; null for others. */
export function commonProblem(what: string, text: string): SetupProblem | null {
  const detail = lastLines(text);
  if (DISK_FULL.test(text)) {
    return new SetupProblem(
      'SETUP_DISK_FULL',
      `${what}: no space is left on the disk.`,
      'Free about 1 GB on the disk of the project and in the temporary folder, then start again.',
      detail,
    );
  }
  if (NO_RIGHT.test(text)) {
    return new SetupProblem(
      'SETUP_NO_PERMISSION',
      `${what}: a file or folder may not be written.`,
      'Make the project folder and your npm cache your own (chown), then start again; sudo is not needed.',
      detail,
    );
  }
  if (NO_NETWORK.test(text)) {
    return new SetupProblem(
      'SETUP_NO_NETWORK',
      `${what}: the package registry was not reached.`,
      'Check the network and the proxy or mirror settings of npm and pip, then start again.',
      detail,
    );
  }
  return null;
}
