/**
 * The search attributes of our workflows: every row of a manifest is a line in the Temporal UI that can be
 * searched for. SQL visibility stores allow ten Keyword attributes a namespace; these are seven.
 */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

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

export const ATTRIBUTE_NAMES: readonly string[] = Object.values(ATTRIBUTES).map(({ name }) => name);
