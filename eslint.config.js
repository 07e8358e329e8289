/**
 * Typed linting. Directions of imports come from the one table in scripts/layers.js; formatting is prettier's.
 * `typescript` here is TypeScript 6, whose API typescript-eslint needs; `tsc` is TypeScript 7.
 */
import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { knownSpreadKeys } from './scripts/lint/known-spread-keys.js';
import { KNOW_TEMPORAL, MAY_IMPORT, MAY_USE, PROFILES } from './scripts/layers.js';

/** How deep folders may lie below a part of `src/`: a relative path to another part has that many `../`. */
const DEPTHS = [1, 2, 3, 4];

function forbiddenParts(part, depth) {
  const upToSrc = '(\\.\\./){' + depth + '}';
  return Object.keys(MAY_IMPORT)
    .filter((other) => other !== part && !MAY_IMPORT[part].includes(other))
    .map((other) => ({
      regex: `^${upToSrc}${other}(/|\\.ts$)`,
      message: `${part} may not import ${other}: scripts/layers.js says why.`,
    }));
}

function forbiddenPackages(part) {
  const allowed = MAY_USE[part];
  if (allowed !== undefined) {
    const exceptions = allowed.map((name) => `(?!${name}$)`).join('');
    return [{ regex: `^${exceptions}[^.]`, message: `${part} stays bare: see scripts/layers.js.` }];
  }
  if (KNOW_TEMPORAL.includes(part)) return [];
  const exception = part === PROFILES.part ? `(?!${PROFILES.specifier}$)` : '';
  return [{ regex: `^${exception}@temporalio/`, message: `${part} knows nothing of Temporal.` }];
}

const directions = Object.keys(MAY_IMPORT).flatMap((part) =>
  DEPTHS.map((depth) => ({
    files: [`src/${part}${'/*'.repeat(depth)}.{ts,tsx}`],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [...forbiddenParts(part, depth), ...forbiddenPackages(part)] },
      ],
    },
  })),
);

export default defineConfig(
  globalIgnores([
    'node_modules/',
    'dist/',
    'lib/',
    '.tools/',
    '.engines/',
    '.hundredfold/',
    'results/',
    'coverage/',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // `void` in front says that nobody waits on purpose.
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Spreading a string gives its code points, which is what is meant where it is done.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // An interface asks for a promise where an implementation has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      // Past that, a concept is hiding in it.
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    plugins: { own: { rules: { 'known-spread-keys': knownSpreadKeys } } },
    rules: {
      'own/known-spread-keys': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(SpreadElement, JSXSpreadAttribute) > ObjectExpression.argument',
          message:
            'Write the properties in place: a spread literal switches off the check for unknown keys.',
        },
        {
          selector:
            ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"])[accessibility="private"]',
          message: 'Write #name: JavaScript keeps it private at run time as well.',
        },
      ],
    },
  },
  {
    files: ['src/cli/**/*.ts'],
    rules: {
      'no-console': 'off',
      // commander hands arguments and flags over as `any`.
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  ...directions,
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // What came over the wire is looked at as it is: an untyped answer is what these tests are about.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        performance: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
      },
    },
  },
);
