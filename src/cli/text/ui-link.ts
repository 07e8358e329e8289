/** Pages of the Temporal UI. */
import { campaignWorkflowId } from '../../workflows/names.ts';
import { ATTRIBUTES } from '../../workflows/search-attributes.ts';

/** All workflows of a campaign: one line per item. */
export function uiLink(ui: string, campaign: string): string {
  const query = encodeURIComponent(`${ATTRIBUTES.campaign.name}="${campaign}"`);
  return `${ui}/namespaces/default/workflows?query=${query}`;
}

/** All workflows. */
export function workflowsLink(ui: string): string {
  return `${ui}/namespaces/default/workflows`;
}

/** The campaign's own workflow. */
export function campaignLink(ui: string, campaign: string): string {
  return `${ui}/namespaces/default/workflows/${campaignWorkflowId(campaign)}`;
}
