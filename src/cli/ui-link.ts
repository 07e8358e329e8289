/** The Temporal UI's page with all workflows of a campaign: each item is a line there. */
import { ATTRIBUTES } from '../workflows/search-attributes.ts';

export function uiLink(ui: string, campaign: string): string {
  const query = encodeURIComponent(`${ATTRIBUTES.campaign.name}="${campaign}"`);
  return `${ui}/namespaces/default/workflows?query=${query}`;
}
