import type { Rule } from 'eslint';

export const knownSpreadKeys: Rule.RuleModule;
