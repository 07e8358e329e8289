import { expect, test } from 'vitest';
import { engineVersion } from '../../../src/report/tables/engine-version.ts';

test.each([
  ['real, ACPYPE 2026.10.15, Open Babel 3.1.1.23', '2026.10.15'],
  ['recorded, ACPYPE 2023.10.27', '2023.10.27'],
  ['ACPYPE 2022.7.21', '2022.7.21'],
  ['real, b2bTools 3.0.9', '3.0.9'],
  ['synthetic', null],
  ['a program of the service', null],
  [undefined, null],
])('the version in "%s" is %s', (engine, version) => {
  expect(engineVersion(engine === undefined ? {} : { engine })).toBe(version);
});
