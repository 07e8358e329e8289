/** The workflows of the bundle, by the names they have in Temporal. */
export { budget } from './budget.ts';
export { campaign } from './campaign.ts';
export { item } from './item.ts';
