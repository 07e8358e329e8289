/**
 * Typed linting. Formatting is prettier's; directions of imports are checked by scripts/imports.ts.
 * `typescript` here is TypeScript 6, whose API typescript-eslint needs; `tsc` is TypeScript 7.
 */
import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { NAMES } from './scripts/names.ts';

const SYNTAX = [
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
];

export default defineConfig(
  globalIgnores([
    'node_modules/',
    'dist/',
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
    files: ['{src,packages}/**/*.{ts,tsx}'],
    rules: {
      // Past that, a concept is hiding in it.
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': ['error', ...SYNTAX],
    },
  },
  {
    files: ['{src,packages}/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', ...SYNTAX, ...NAMES] },
  },
  {
    // What knows a kind or a service by its name does not work for those of a plugin.
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    ignores: ['src/kinds/**', 'src/services/*', 'src/export/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...SYNTAX,
        ...NAMES,
        {
          selector: 'Literal[value=/^(molecule|sequence|alignment|shifts|molecules|predictions)$/]',
          message:
            'Ask the kind (findKind) or the service (findService) instead of comparing names.',
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
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...SYNTAX,
        {
          selector:
            'CallExpression[callee.property.name="toMatchObject"] Property > Literal[regex]',
          message: 'Write expect.stringMatching(/…/): toMatchObject takes any text for a RegExp.',
        },
      ],
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
