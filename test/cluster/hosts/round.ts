/** Runs a round, and checks its results: the promises of docs/promises.md, on the tree that a host pulls. */
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { JournalEntry } from '../../../packages/local-services/src/journal.ts';
import { buildCampaignWorkflowId } from '../../../src/workflows/names.ts';
import { attempt, countEnds } from '../../chaos/invariants.ts';
import { Patience } from '../../chaos/patience.ts';
import { replayable } from '../../chaos/replayed.ts';
import { processArguments } from '../../cli/command.ts';
import { itemsTable, keepsPromises } from '../../promises.ts';
import type { ClusterTools } from '../tools.ts';
import { Lab, USERS, type HostName, type User } from './lab.ts';
import type { Event, Plan } from './plan.ts';

const LIMITS = { limit: 10, windowMs: 6_000, jobMs: 400 };
/** Longer than the longest block of a service (60 s) and all restarts together. */
const CALM_MS = 240_000;
const END_TIMEOUT_MS = 50_000;
const MAX_TRIES = 5;

export interface Verdict {
  /** The violations, a text each; empty if all holds. */
  readonly broken: readonly string[];
  /** Items by state and code. */
  readonly items: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Of every process, if there are violations. */
  readonly stories: string;
}

interface Campaign {
  readonly name: string;
  readonly user: User;
  readonly host: HostName;
  readonly ids: readonly string[];
}

export async function playRound(tools: ClusterTools, plan: Plan): Promise<Verdict> {
  const lab = await Lab.open(tools, LIMITS);
  // After a timeout of the test, processes and namespaces would remain.
  const endWithUs = (): void => lab.killAll();
  process.once('exit', endWithUs);
  const startedAt = performance.now();
  try {
    const broken: string[] = [];
    const seen: string[] = [];
    const campaigns = await begin(lab, plan);
    await Promise.all(
      plan.events.map(async (event) => {
        await delay(event.atMs);
        seen.push(processArguments());
        await attempt(broken, () => enact(lab, event));
      }),
    );
    await attempt(broken, () => allEnd(lab, campaigns));
    if (broken.length === 0) await attempt(broken, () => endInOrder(lab));
    const items = broken.length === 0 ? await judge(lab, campaigns, seen.join('\n'), broken) : {};
    const seconds = (performance.now() - startedAt) / 1_000;
    return { broken, items, seconds, stories: broken.length === 0 ? '' : storiesOf(lab) };
  } finally {
    await lab.close();
    process.off('exit', endWithUs);
  }
}

/** Workers on three hosts, and a campaign of each user, started on a host without the other's token. */
async function begin(lab: Lab, plan: Plan): Promise<Campaign[]> {
  const [ada, ben] = USERS;
  lab.startWorker('host1', ada);
  lab.startWorker('host2', ben);
  lab.startWorker('host3', ada);
  lab.startWorker('host3', ben);
  const campaigns = ([ada, ben] as const).map((user, n): Campaign => {
    const rows = rowsOf(plan, user, n);
    const host = n === 0 ? 'host1' : 'host2';
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    lab.write(host, `${user.name}.jsonl`, text);
    return { name: user.name, user, host, ids: rows.map(({ id }) => id) };
  });
  await Promise.all(campaigns.map((campaign) => begun(lab, campaign)));
  return campaigns;
}

/** On a busy machine workers need longer than `run` waits for them: its message says to run it again. */
async function begun(lab: Lab, { name, user, host }: Campaign): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const typed = lab.type(host, user, ['run', `${name}.jsonl`, '--detach', '--json']);
    const { code, stderr } = await typed.ended;
    if (code === 0) return;
    if (tries === MAX_TRIES || !stderr.includes('[WORKER_SILENT]')) throw new Error(typed.story());
  }
}

const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY';

function rowsOf(plan: Plan, { name }: User, user: number): { id: string }[] {
  const residue = (n: number): string => RESIDUES[n % 20] ?? 'A';
  const sequences = Array.from({ length: plan.sequences }, (_, n) => ({
    id: `${name}-s${n}`,
    sequence: `MKTAYIAK${residue(n)}${residue(n / 20)}${residue(user)}`,
  }));
  const molecules = Array.from({ length: plan.molecules }, (_, n) => ({
    id: `${name}-m${n}`,
    smiles: `${'C'.repeat(n + 1)}${user === 0 ? 'O' : 'N'}`,
  }));
  return [...sequences, ...molecules];
}

async function enact(lab: Lab, event: Event): Promise<void> {
  const { network } = lab;
  switch (event.do) {
    case 'cut':
      network.cut(event.one, event.other);
      await delay(event.forMs);
      network.heal(event.one, event.other);
      return;
    case 'disturb':
      await network.disturb(event.whom);
      await delay(event.forMs);
      network.calm(event.whom);
      return;
    case 'kill':
      return lab.kill(event.what, event.forMs);
  }
}

async function allEnd(lab: Lab, campaigns: readonly Campaign[]): Promise<void> {
  const patience = new Patience(CALM_MS);
  const client = await lab.client();
  try {
    const open = new Set(campaigns.map(({ name }) => name));
    while (open.size > 0) {
      if (patience.isOver)
        throw new Error(
          `${[...open].join(' and ')}: not ended ${CALM_MS / 1_000} s after the faults`,
        );
      await delay(500);
      for (const name of open) {
        const { status } = await client.workflow
          .getHandle(buildCampaignWorkflowId(name))
          .describe();
        if (status.name !== 'RUNNING') open.delete(name);
      }
    }
  } finally {
    patience.end();
    await client.connection.close();
  }
}

/** SIGTERM ends each worker with exit code 0; none has ended by itself before. */
async function endInOrder(lab: Lab): Promise<void> {
  const patience = new Patience(END_TIMEOUT_MS);
  try {
    for (const { typed } of lab.workers) typed.kill('SIGTERM');
    const ended = Promise.all(lab.workers.map(({ typed }) => typed.endsWith(0)));
    await Promise.race([
      ended,
      patience.over.then(() => {
        throw new Error('workers that were told to end have not');
      }),
    ]);
  } finally {
    patience.end();
  }
}

/** Returns the number of items by state and code. */
async function judge(
  lab: Lab,
  campaigns: readonly Campaign[],
  processes: string,
  broken: string[],
): Promise<Record<string, number>> {
  await lab.stopServices();
  const journal = lab.journal();
  // Both services have the limit here.
  const asIf = journal.map((entry) => ({
    ...entry,
    service: 'predictions' as const,
    token: `${entry.service} ${String(entry.token)}`,
  }));
  const printed = lab.said.map((typed, n) => [`${n}: ${typed.words}`, typed.stdout + typed.stderr]);
  const texts = { ...Object.fromEntries(printed), processes } as Record<string, string>;
  // On a host that had no part in it.
  for (const { name, user } of campaigns)
    await attempt(broken, () =>
      lab.type('host3', user, ['pull', name, '--out', 'pulled', '--json']).endsWith(0),
    );
  const trees = campaigns.map(({ name, ids }) => ({
    folder: lab.path('host3', 'pulled', name),
    ids,
  }));
  await attempt(broken, () =>
    keepsPromises({
      journal: asIf,
      windows: [LIMITS],
      rows: campaigns.flatMap(({ ids }) => ids),
      trees,
      secrets: USERS.flatMap(({ molecules, predictions }) => [molecules, predictions]),
      folders: [lab.path('host3', 'pulled'), lab.store.folder],
      texts,
    }),
  );
  const tables = await Promise.all(trees.map(({ folder }) => itemsTable(folder).catch(() => [])));
  await attempt(broken, () => explained(tables.flat(), journal));
  await attempt(broken, async () => {
    const client = await lab.client();
    try {
      await replayable(client);
    } finally {
      await client.connection.close();
    }
  });
  return countEnds(tables.flat());
}

/** Only a submission with an unknowable outcome may keep a row from its result. */
function explained(
  rows: readonly Record<string, string>[],
  journal: readonly JournalEntry[],
): void {
  const accepted = new Set(journal.flatMap((e) => (e.accepted ? (e.requestId ?? []) : [])));
  const strange = rows.filter((row) =>
    row['state'] === 'succeeded'
      ? !accepted.has(row['remote_id'] ?? '')
      : row['kind'] !== 'molecule' || row['error_code'] !== 'SUBMIT_UNSURE',
  );
  expect(strange, 'items that ended in a way which nothing explains').toEqual([]);
}

function storiesOf(lab: Lab): string {
  const log = execFileSync('tail', ['-n', '40', `${lab.cluster.dir}/temporal.log`], {
    encoding: 'utf8',
  });
  return [...lab.said.map((typed) => typed.story()), `--- Temporal\n${log}`].join('\n\n');
}
