/**
 * systemd units as text. Pure. The directives: systemd.service(5), systemd.kill(5), systemd.exec(5).
 *
 * With systemd's default, `KillMode=control-group`, the Temporal server gets SIGTERM at the same moment as the command
 * that uses it; with `mixed` the command stops it last. Nothing is installed: the administrator decides where units
 * belong.
 */

interface UnitOptions {
  readonly description: string;
  /** Program and arguments, not quoted for a shell. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly folder: string;
  /**
   * File with tokens as variables, readable only by its owner; it may be missing. A path for systemd, `%h` is the home.
   */
  readonly environmentFile: string;
  /** Exit codes after which a restart would fail again. */
  readonly final: readonly number[];
  /** Account of a system unit; null for a user unit. */
  readonly user: string | null;
  /** Time limit for stopping, in s. */
  readonly stopWithin: number;
}

/** The exit code after SIGTERM, when the campaign continues later: not a failure. */
const INTERRUPTED = 130;

export function systemdUnit(options: UnitOptions): string {
  const { user, final } = options;
  const lines = [
    '[Unit]',
    `Description=${verbatim(options.description)}`,
    ...(user === null ? [] : ['Wants=network-online.target', 'After=network-online.target']),
    '# Restarted without a limit: nothing is lost, and nothing is submitted twice.',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=exec',
    ...(user === null ? [] : [`User=${user}`]),
    `WorkingDirectory=${verbatim(options.folder)}`,
    `EnvironmentFile=-${options.environmentFile}`,
    `ExecStart=${options.command.map(word).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=10',
    ...(final.length === 0 ? [] : [`RestartPreventExitStatus=${final.join(' ')}`]),
    `SuccessExitStatus=${INTERRUPTED}`,
    '# SIGTERM for hundredfold alone, which stops its Temporal server last; SIGKILL for what is left.',
    'KillMode=mixed',
    `TimeoutStopSec=${options.stopWithin}`,
    'NoNewPrivileges=yes',
    '',
    '[Install]',
    `WantedBy=${user === null ? 'default.target' : 'multi-user.target'}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** A percent sign starts a specifier everywhere. */
function verbatim(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A word of a command line, where quotes, backslashes and dollars are special too. */
function word(text: string): string {
  const escaped = verbatim(text).replaceAll('$', '$$$$');
  if (/^[\w@%+=:,./$-]+$/.test(escaped)) return escaped;
  return `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
