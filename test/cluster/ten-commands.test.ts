/**
 * The ten commands of docs/cluster.md, read from the page and run unchanged, in a network namespace where their ports
 * are free. Skipped if the programs are missing: tools.ts.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findVersitygw } from '../../scripts/versitygw.ts';
import { requireTemporalCli } from '../shared-cli.ts';
import { BIN, desk, ROOT, Typed } from '../cli/command.ts';
import { WITHOUT_S3 } from '../s3-server.ts';
import { Network, whyNoNamespaces } from './hosts/network.ts';
import { clusterTools, type ClusterTools } from './tools.ts';

const tools = clusterTools();
const missing = typeof tools === 'string' ? tools : (WITHOUT_S3 ?? whyNoNamespaces());

/** The blocks of this language in the section. */
function blocks(language: string): string[] {
  const page = readFileSync(join(ROOT, 'docs', 'cluster.md'), 'utf8');
  const section = page.split('\n## ').find((text) => text.startsWith('In ten commands')) ?? '';
  const found = section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'));
  return [...found].map(([, text = '']) => text);
}

/** The PATH of a machine with these installed; PostgreSQL's as another user than root. */
function programs({ temporalServer, sqlTool, postgres }: ClusterTools): Record<string, string> {
  const nobody =
    process.getuid?.() === 0 ? 'setpriv --reuid=65534 --regid=65534 --clear-groups ' : '';
  return {
    temporal: `exec ${requireTemporalCli()} "$@"`,
    'temporal-server': `exec ${temporalServer} "$@"`,
    'temporal-sql-tool': `exec ${sqlTool} "$@"`,
    versitygw: `exec ${findVersitygw() ?? ''} "$@"`,
    hundredfold: `exec ${process.execPath} ${BIN} "$@"`,
    initdb: `exec ${nobody}${join(postgres, 'initdb')} "$@"`,
    pg_ctl: `exec ${nobody}${join(postgres, 'pg_ctl')} "$@"`,
  };
}

/** An otherwise idle machine needs 20 s. */
const LATE_MS = 220_000;

function logsIn(folder: string): string {
  const logs = globSync('*.log', { cwd: folder });
  const end = (log: string): string => readFileSync(join(folder, log), 'utf8').slice(-1_500);
  return logs.map((log) => `--- ${log}\n${end(log)}`).join('\n');
}

test('the section of docs/cluster.md has ten commands', () => {
  const commands = (blocks('sh')[1] ?? '').trim().split('\n');
  expect(commands).toHaveLength(10);
});

describe.skipIf(missing !== null)(`the ten commands${missing ? ` (${missing})` : ''}`, () => {
  test('start a campaign on Temporal, PostgreSQL and a bucket from nothing', async () => {
    const at = desk();
    const network = new Network();
    const place = network.add('alone');
    const end = (): void => {
      for (const pid of network.processes('alone')) process.kill(pid, 'SIGKILL');
      network[Symbol.dispose]();
    };
    onTestFinished(end);
    chmodSync(at.folder, 0o755);
    if (process.getuid?.() === 0) chownSync(at.folder, 65_534, 65_534);
    for (const [name, text] of Object.entries(programs(tools as ClusterTools)))
      chmodSync(at.write(`programs/${name}`, `#!/bin/sh\n${text}\n`), 0o755);
    at.write('hundredfold.yaml', blocks('yaml')[0] ?? '');
    const [environment = '', commands = ''] = blocks('sh');
    const script = `set -e\n${environment}\n${commands}\nhundredfold doctor\nhundredfold pull night --json\n`;
    const words = [...place.enter, 'bash', '-c', script];
    const child = spawn(words[0] ?? '', words.slice(1), {
      cwd: at.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${at.path('programs')}:${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: at.folder,
        LANG: 'C.UTF-8',
        HUNDREDFOLD_STATE_DIR: at.path('state'),
        TMPDIR: '/tmp',
      },
    });
    // The servers in the background keep the script's output open, so its end is not that of its output.
    const typed = new Typed(child, 'in ten commands');
    const late = setTimeout(() => child.kill('SIGKILL'), LATE_MS);
    const code = await new Promise((resolve) => child.once('exit', resolve));
    clearTimeout(late);
    expect(code, `${typed.story()}\n${logsIn(at.folder)}`).toBe(0);
    expect(typed.stdout).toContain('"faults":[]');
    const sums = execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], {
      cwd: at.path('results', 'night'),
      encoding: 'utf8',
    });
    expect(sums).toBe('');
  });
});
