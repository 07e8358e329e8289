/** What commands have in common: settings, the campaign that is meant, its tree, and a session in which it is read or changed. */
import { existsSync } from 'node:fs';
import type { LoadOptions } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { checkName } from '../domain/name.ts';
import { isObjectAddress } from '../domain/addresses.ts';
import type { Session } from '../temporal/host/session.ts';
import {
  type CampaignLine,
  findCampaign,
  requireTree,
  openTreeIfAny,
  describeTree,
  findRunCommand,
  readRemembered,
  runInSession,
  logToWorkerLog,
  type Purpose,
  readSettings,
} from '../runner/command-line.ts';
import { openTree, type OutputTree } from '../runner/index.ts';
import { buildCampaignAddress } from '../store/layout.ts';
import type { Flags } from './options.ts';
import { Interruption } from './interruption.ts';
import { say, logToTerminal, setRunCommand } from './terminal.ts';

type Settings = ReturnType<typeof readSettings>;

/** Throws CONFIG_* with what to do; exit code 2. */
export function loadCommandSettings({ config }: Flags, options?: LoadOptions): Settings {
  return readSettings(config === undefined ? {} : { config }, options);
}

/** A campaign, and the flags with which it is found. */
interface Meant {
  readonly name: string;
  readonly flags: Flags;
}

/**
 * The campaign that is named, or the newest that was started on this machine. One that was started in another folder is
 * looked for there, as if the command were typed there.
 * @throws HundredfoldError `USAGE` if none is named and none was started
 */
export async function findMeant(given: string | undefined, flags: Flags): Promise<Meant> {
  const remembered = readRemembered();
  const name = given ?? remembered[0]?.name;
  if (name === undefined)
    throw new HundredfoldError(
      'USAGE',
      'no campaign is named, and none was started on this machine',
      'Start one with hundredfold run.',
    );
  if (given === undefined) say(`${name} is the newest campaign.`);
  const known = remembered.filter((one) => one.name === name);
  const [newest] = known;
  await setRunCommand(name);
  const isChosen = (flags.config ?? flags.out ?? process.env['HUNDREDFOLD_CONFIG']) !== undefined;
  if (!newest || isChosen || known.some(({ cwd }) => cwd === process.cwd())) return { name, flags };
  const { storeUrl, temporal } = loadCommandSettings(flags, { tokens: 'optional' });
  const isHere =
    temporal !== null || (await openTreeIfAny(buildCampaignAddress(storeUrl, name), name));
  if (isHere || !existsSync(newest.cwd)) return { name, flags };
  process.chdir(newest.cwd);
  say(`${name} was started in ${newest.cwd}.`);
  await setRunCommand(name);
  return {
    name,
    flags: { ...flags, ...(newest.config !== undefined && { config: newest.config }) },
  };
}

/**
 * The output tree of a campaign. Looks in the default folder; queries Temporal only if the tree is not there.
 *
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 * @throws StoreError `STORE_NOT_PREPARED`
 */
export async function findTree(given: string | undefined, typed: Flags): Promise<OutputTree> {
  const { name, flags } = await findMeant(given, typed);
  const { storeUrl } = loadCommandSettings(flags, { tokens: 'optional' });
  const expected = buildCampaignAddress(flags.out ?? storeUrl, name);
  const tree = await openTreeIfAny(expected, name);
  if (tree !== null) return tree;
  if (flags.out !== undefined) return requireTree(expected, name, false);
  let found = expected;
  await withSession(flags, 'look', async ({ client }) => {
    found = (await findCampaign(client, name)).out;
    return EXIT.ok;
  });
  return requireTree(found, name, true);
}

/**
 * By the name of its campaign, or its folder.
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `USAGE`
 */
export async function findTreeOrFolder(
  nameOrFolder: string | undefined,
  { config, json }: Flags,
): Promise<OutputTree> {
  const flags = { ...(config !== undefined && { config }), ...(json !== undefined && { json }) };
  if (nameOrFolder === undefined) return findTree(undefined, flags);
  // Campaign names contain no slash, and do not consist of dots.
  if (isObjectAddress(nameOrFolder) || /[/\\]|^\.\.?$/.test(nameOrFolder)) {
    loadCommandSettings(flags, { tokens: 'optional' });
    return openTree(nameOrFolder, flags);
  }
  return findTree(checkName(nameOrFolder), flags);
}

export interface CommandContext {
  readonly settings: Settings;
  readonly interruption: Interruption;
}

/**
 * For commands that inspect or control campaigns: they join the running host, or start the server while they need it.
 * @param hurried a user waits for the answer: a host that does not answer is reported within seconds
 */
export async function withSession(
  flags: Flags,
  purpose: Purpose,
  use: (session: Session, context: CommandContext) => Promise<number>,
  hurried = purpose === 'look',
): Promise<number> {
  const settings = loadCommandSettings(flags, { tokens: 'optional' });
  logToWorkerLog(settings, logToTerminal());
  const interruption = new Interruption({ submits: purpose === 'work' });
  return runInSession({ settings, environment: process.env, purpose, hurried }, async (session) => {
    if (interruption.requested()) return EXIT.interrupted;
    if (purpose === 'work' && session.role !== 'joined') warnUnready(settings);
    return use(session, { settings, interruption });
  });
}

/** The open items of these services remain open: neither their jobs nor this command can process them. */
function warnUnready({ unready }: Settings): void {
  for (const { reference, reason } of unready) {
    say(
      `${reference.service}: this command neither submits nor fetches anything there: ${reason.message}.`,
    );
    say(`  ${reason.remedy}`);
  }
}

/** Passes the session in which the campaign is known. A tree whose campaign runs elsewhere says so. */
export async function withCampaign(
  { name, flags }: Meant,
  purpose: Purpose,
  use: (session: Session, campaign: CampaignLine, context: CommandContext) => Promise<number>,
  hurried = purpose === 'look',
): Promise<number> {
  const known = async (session: Session, context: CommandContext): Promise<number> => {
    const found = await findCampaign(session.client, name).catch(async (error: unknown) => {
      throw await explainUnknown(name, context.settings, error);
    });
    return use(session, found, context);
  };
  return withSession(flags, purpose, known, hurried);
}

/** The tree of a campaign that Temporal does not know here. */
export async function findTreeElsewhere(
  name: string,
  { storeUrl }: Settings,
): Promise<OutputTree | null> {
  const folders = readRemembered().filter((one) => one.name === name);
  const expected = buildCampaignAddress(storeUrl, name);
  for (const folder of [expected, ...folders.map((one) => one.folder)]) {
    const tree = await openTreeIfAny(folder, name);
    if (tree !== null) return tree;
  }
  return null;
}

export function isUnknown(error: unknown): boolean {
  return error instanceof HundredfoldError && error.code === 'CAMPAIGN_UNKNOWN';
}

/** With what its tree knows, and the command that goes on with it here. */
export async function explainUnknown(
  name: string,
  settings: Settings,
  error: unknown,
): Promise<unknown> {
  if (!isUnknown(error)) return error;
  const tree = await findTreeElsewhere(name, settings);
  if (tree === null) return error;
  const command = await findRunCommand(name, tree.location);
  return new HundredfoldError(
    'CAMPAIGN_UNKNOWN',
    `${name} ran at another Temporal server: ${await describeTree(tree)}`,
    `To go on with it here: ${command ?? 'run its manifests again'}`,
  );
}
