/**
 * A rule for ESLint: in `{ ...(x && { key }) }`, the type that the object must have knows `key`. TypeScript reports
 * unknown keys only where they are written in place, so there a misspelt key would be lost without a word.
 */
import ts from 'typescript';

/** @type {import('eslint').Rule.RuleModule} */
export const knownSpreadKeys = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      unknown: '{{key}} is not a key of {{type}}: TypeScript does not check this literal.',
    },
  },
  create(context) {
    const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();
    return {
      'ObjectExpression > SpreadElement'({ parent, argument }) {
        const properties = spreadLiterals(argument).flatMap((literal) => literal.properties);
        if (properties.length === 0) return;
        const type = checker.getContextualType(esTreeNodeToTSNodeMap.get(parent));
        if (type === undefined) return;
        for (const property of properties) {
          const key = nameOf(property);
          if (key === null || isKnown(checker, type, key)) continue;
          const data = { key, type: checker.typeToString(type) };
          context.report({ node: property, messageId: 'unknown', data });
        }
      },
    };
  },
};

/** The literals that the expression may stand for. */
function spreadLiterals(node) {
  switch (node.type) {
    case 'ObjectExpression':
      return [node];
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].flatMap(spreadLiterals);
    case 'LogicalExpression':
      return [node.left, node.right].flatMap(spreadLiterals);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return spreadLiterals(node.expression);
    default:
      return [];
  }
}

/** Null for a computed key and for a spread. */
function nameOf({ type, computed, key }) {
  if (type !== 'Property' || computed) return null;
  return key.type === 'Identifier' ? key.name : String(key.value);
}

/** As TypeScript does it in place: for a union, one member has to know the key. */
function isKnown(checker, type, key) {
  const objects = objectsIn(checker, type);
  return objects.length === 0 || objects.some((one) => isOpen(checker, one) || has(one, key));
}

/** Its members that are objects; null and undefined, for example, are not. */
function objectsIn(checker, type) {
  if (type.isUnionOrIntersection()) return type.types.flatMap((one) => objectsIn(checker, one));
  if (type.isTypeParameter()) {
    const constraint = checker.getBaseConstraintOfType(type);
    return constraint === undefined ? [] : objectsIn(checker, constraint);
  }
  return (type.flags & ts.TypeFlags.Object) === 0 ? [] : [type];
}

/** Any key is allowed. */
function isOpen(checker, type) {
  return checker.getIndexInfosOfType(type).length > 0 || type.getProperties().length === 0;
}

function has(type, key) {
  return type.getProperty(key) !== undefined;
}
