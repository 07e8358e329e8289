/**
 * systemd units as text. Pure. The directives: systemd.service(5), systemd.kill(5), systemd.exec(5).
 *
 * With systemd's default, `KillMode=control-group`, the Temporal server gets SIGTERM at the same moment as the
 * command that uses it; with `mixed` the command ends it last. Nothing is installed: where units belong is the
 * administrator's choice.
 */

export interface UnitOptions {
  readonly description: string;
  /** Program and arguments, as they are typed without a shell. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly folder: string;
  /** Variables with tokens, in a file that only its owner reads; it may be missing. A path for systemd, `%h` is the home. */
  readonly environmentFile: string;
  /** Exit codes after which a new start would end in the same way. */
  readonly final: readonly number[];
  /** Account of a system unit; null for a unit of the user's own systemd. */
  readonly user: string | null;
  /** How long it may take to stop, in s. */
  readonly stopWithin: number;
}

/** What SIGTERM makes of a campaign that goes on later: not a failure. */
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

/** A percent sign begins a specifier everywhere. */
function verbatim(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A word of a command line, where quotes, backslashes and dollars have a meaning as well. */
function word(text: string): string {
  const escaped = verbatim(text).replaceAll('$', '$$$$');
  if (/^[\w@%+=:,./$-]+$/.test(escaped)) return escaped;
  return `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
