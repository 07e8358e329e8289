/**
 * The search attributes of our workflows: every row of a manifest is a line in the Temporal UI that can be
 * searched for. SQL visibility stores allow ten Keyword attributes a namespace; these are seven.
 */
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  type SearchAttributePair,
} from '@temporalio/common';
import type { CampaignChild } from './campaign-child.ts';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export const ATTRIBUTES = {
  campaign: keyword('Campaign'),
  item: keyword('Item'),
  kind: keyword('Kind'),
  state: keyword('State'),
  service: keyword('Service'),
  remoteId: keyword('RemoteId'),
  errorCode: keyword('ErrorCode'),
} as const;

/** Those that a campaign is started with. */
export function campaignAttributes(attributes: CampaignChild['attributes']): SearchAttributePair[] {
  return [
    { key: ATTRIBUTES.campaign, value: attributes.campaign },
    { key: ATTRIBUTES.state, value: attributes.state },
  ];
}
