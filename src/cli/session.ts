/** What commands have in common: settings, the campaign that is meant, its tree, and a session in which it is looked at. */
import { existsSync } from 'node:fs';
import type { TokenNeed } from '../config/services.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { checkName } from '../domain/name.ts';
import { isObjectAddress, buildCampaignAddress } from '../store/layout.ts';
import type { Session } from '../temporal/host/session.ts';
import {
  findCampaign,
  requireTree,
  openTreeIfAny,
  readRemembered,
  lookInSession,
  readSettings,
  openTree,
  type OutputTree,
} from '../runner/command-line.ts';
import type { Flags } from './options.ts';
import { Interruption } from './interruption.ts';
import { say, logToTerminal, setRunCommand } from './terminal.ts';

type Settings = ReturnType<typeof readSettings>;

/** Most commands submit nothing. Throws CONFIG_* with what to do; exit code 2. */
export function loadCommandSettings({ config }: Flags, tokens: TokenNeed = 'optional'): Settings {
  return readSettings(config === undefined ? {} : { config }, { tokens });
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
  const { storeUrl, temporal } = loadCommandSettings(flags);
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
  const { storeUrl } = loadCommandSettings(flags);
  const expected = buildCampaignAddress(flags.out ?? storeUrl, name);
  const tree = await openTreeIfAny(expected, name);
  if (tree !== null) return tree;
  if (flags.out !== undefined) return requireTree(expected, name, false);
  let found = expected;
  await withSession(flags, async ({ client }) => {
    found = (await findCampaign(client, name, storeUrl)).out;
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
    loadCommandSettings(flags);
    return openTree(nameOrFolder, flags);
  }
  return findTree(checkName(nameOrFolder), flags);
}

/**
 * For commands that look at campaigns: they join the running host, or start the server while they need it. Ctrl-C during
 * its start ends the command.
 */
export async function withSession(
  flags: Flags,
  look: (session: Session, settings: Settings) => Promise<number>,
): Promise<number> {
  const settings = loadCommandSettings(flags);
  const interruption = new Interruption({ submits: false });
  return lookInSession(settings, logToTerminal(), async (session) =>
    interruption.requested() ? EXIT.interrupted : look(session, settings),
  );
}
