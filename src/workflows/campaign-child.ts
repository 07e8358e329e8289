import type { CampaignInput } from './messages.ts';

/** How the workflow of a campaign is started as a child. Plain data: pass it on as it is. */
export interface CampaignChild {
  /** `campaign:NAME`. */
  readonly workflowId: string;
  /** Input of the workflow `campaign`. */
  readonly input: CampaignInput;
  /** One line for the Temporal UI. */
  readonly staticSummary: string;
  /** Markdown for the Temporal UI. */
  readonly staticDetails: string;
  /** What workers and commands read of a campaign without a query. */
  readonly memo: Readonly<Record<string, unknown>>;
  /** Values of the search attributes. */
  readonly attributes: {
    /** Name of the campaign. */
    readonly campaign: string;
    /** State of the campaign. */
    readonly state: string;
  };
}
