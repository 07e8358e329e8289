/**
 * Items and rows that wait for a slot although the budget has no request for them: the request was lost when a budget
 * was terminated or a server was lost. Without this check, the campaign would wait forever.
 */
import type { Client } from '@temporalio/client';
import { countEnded } from '../domain/states.ts';
import { ifFound, isReached } from '../activities/if-found.ts';
import type { BudgetSnapshot } from '../budget/status.ts';
import type { CampaignProgress } from '../domain/campaign.ts';
import { SERVICE_OF_KIND, type Kind, type ServiceName } from '../domain/item.ts';
import { askSignal, lookSignal, PROGRESS_MEMO } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { runningWorkflows } from '../workflows/running-workflows.ts';

/** Checks in a row: a request and the status of the budget need some time to arrive. */
const LOOKS = 3;
/** Maximum number of checks until the next signal: items whose submission is unsure wait for another reason. */
const LONGEST_PAUSE = 64;

type Kinds = NonNullable<CampaignProgress['kinds']>;

/** A campaign that has not ended. */
export interface OpenCampaign {
  readonly campaign: string;
  /** Its rows; empty if they are unknown. */
  readonly kinds: Kinds;
}

interface Suspicion {
  /** Checks in a row in which items were missing. */
  looks: number;
  /** The check at which the items get a signal; doubles each time. */
  askAt: number;
  /** Items that had ended at the last check. */
  ended: number;
}

export class SilentItems {
  readonly #client: Client;
  readonly #taskQueue: string;
  /** By service and campaign. */
  readonly #suspicions = new Map<string, Suspicion>();

  /** @param taskQueue of the workers that the watchdog belongs to */
  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /** What the budgets are compared with: read once for those of all services. */
  async openCampaigns(): Promise<readonly OpenCampaign[]> {
    const open: OpenCampaign[] = [];
    for await (const { campaign, isOurs } of this.#listCampaigns())
      // Rows of another task queue are checked by the watchdogs of that queue.
      open.push({ campaign, kinds: isOurs ? await this.#kindsOf(campaign) : {} });
    return open;
  }

  /**
   * Compares the items of these campaigns with the requests in the budget, and makes lost ones be requested again.
   * @param snapshot null when no budget runs
   * @returns how many items got a signal; rows without a workflow are requested by their campaign, and not counted
   */
  async look(
    service: ServiceName,
    snapshot: BudgetSnapshot | null,
    campaigns: readonly OpenCampaign[],
  ): Promise<number> {
    let asked = 0;
    for (const { campaign, kinds } of campaigns) {
      const { rows, open, ended } = rowsOf(kinds, service);
      // Each count is a query of the server's database, all night long.
      if (rows === 0 && Object.keys(kinds).length > 0) continue;
      const running = await this.#count({ campaign, service });
      const waiting = { campaign, service, state: 'waiting' };
      const count = running === 0 ? 0 : await this.#count(waiting);
      const unstarted = Math.max(0, open - running);
      const missing = count + unstarted - knownOf(snapshot, campaign);
      if (!this.#isSuspect(`${service} ${campaign}`, { missing, ended })) continue;
      asked += await this.#ask(runningWorkflows(['item'], waiting));
      if (unstarted > 0) await this.#haveLook(campaign);
    }
    return asked;
  }

  /** Makes all waiting items of a service request a slot again: the budget ignores repeated requests. */
  async askAll(service: ServiceName): Promise<number> {
    for await (const { campaign } of this.#listCampaigns()) await this.#haveLook(campaign);
    return this.#ask(runningWorkflows(['item'], { service, state: 'waiting' }));
  }

  async *#listCampaigns(): AsyncGenerator<{ campaign: string; isOurs: boolean }> {
    const open = this.#client.workflow.list({ query: runningWorkflows(['campaign']) });
    for await (const { workflowId, taskQueue } of open) {
      const campaign = workflowId.slice(workflowId.indexOf(':') + 1);
      yield { campaign, isOurs: taskQueue === this.#taskQueue };
    }
  }

  async #count(of: Parameters<typeof runningWorkflows>[1]): Promise<number> {
    const { count } = await this.#client.workflow.count(runningWorkflows(['item'], of));
    return count;
  }

  /**
   * Empty for a campaign that has not run yet, and for those of versions that wrote no progress: other campaigns must
   * not wait for an answer, and a query is not safe (campaigns/progress.ts).
   */
  async #kindsOf(campaign: string): Promise<Kinds> {
    const { memo } = await this.#client.workflow.getHandle(campaignWorkflowId(campaign)).describe();
    const written = memo?.[PROGRESS_MEMO] as CampaignProgress | undefined;
    return written?.kinds ?? {};
  }

  async #haveLook(campaign: string): Promise<void> {
    const handle = this.#client.workflow.getHandle(campaignWorkflowId(campaign));
    await ifFound(handle.signal(lookSignal));
  }

  /**
   * The data of the budget, the campaign and the list of workflows are from different moments: up to as many items as
   * have ended since the last check may seem to be missing.
   */
  #isSuspect(key: string, { missing, ended }: { missing: number; ended: number }): boolean {
    const suspicion = this.#suspicions.get(key) ?? { looks: 0, askAt: LOOKS, ended };
    const moved = Math.max(0, ended - suspicion.ended);
    suspicion.ended = ended;
    if (missing <= moved) {
      this.#suspicions.set(key, { looks: 0, askAt: LOOKS, ended });
      return false;
    }
    suspicion.looks += 1;
    this.#suspicions.set(key, suspicion);
    if (suspicion.looks < suspicion.askAt) return false;
    suspicion.askAt += Math.min(LONGEST_PAUSE, suspicion.askAt);
    return true;
  }

  async #ask(query: string): Promise<number> {
    let asked = 0;
    for await (const { workflowId, runId } of this.#client.workflow.list({ query })) {
      const item = this.#client.workflow.getHandle(workflowId, runId);
      if (await isReached(item.signal(askSignal))) asked += 1;
    }
    return asked;
  }
}

/** Rows of one service: all, open ones with or without a workflow, and those that have ended. */
function rowsOf(kinds: Kinds, service: ServiceName) {
  let [open, ended] = [0, 0];
  for (const [kind, standing] of Object.entries(kinds)) {
    if (SERVICE_OF_KIND[kind as Kind] !== service) continue;
    open += standing.open;
    ended += countEnded(standing.ended);
  }
  return { rows: open + ended, open, ended };
}

function knownOf(snapshot: BudgetSnapshot | null, campaign: string): number {
  if (!snapshot) return 0;
  const waiting = snapshot.waiting.filter((lane) => lane.campaign === campaign);
  const outstanding = snapshot.outstanding.filter((grant) => grant.campaign === campaign);
  return waiting.reduce((sum, { items, asked = items }) => sum + asked, 0) + outstanding.length;
}
