/** Addresses and tokens that are accepted, and addresses whose results may be synthetic. */
import { expect, test } from 'vitest';
import { isSynthetic, canBeSynthetic } from '../../src/kinds/provenance.ts';
import { checkToken, readServiceUrl } from '../../src/services/request.ts';

test.each(['', 'example.org', 'ftp://x', 'http://x/?a=1', 'http://x/#a', 'http://user:secret@x/'])(
  'the address %j is refused, and no password is shown',
  (url) => {
    const message = expect.not.stringContaining('secret') as string;
    expect(() => readServiceUrl(url)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message }),
    );
  },
);

test.each(['', ' x', 'x\n', 'é', 'x'.repeat(101)])('the token %j is refused', (token) => {
  expect(() => checkToken(token, 100)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

test.each([
  ['http://localhost:8080', true],
  ['http://services:8080/acpype', true],
  ['http://127.0.0.1:8080', true],
  ['http://[::1]:8080', true],
  ['http://10.1.2.3', true],
  ['http://172.20.0.4', true],
  ['http://192.168.1.7', true],
  ['http://198.18.244.6:8080', true],
  ['http://[fd00::1]', true],
  ['https://acpype.example.org', false],
  ['https://172.32.0.1', false],
  ['https://11.0.0.1', false],
  ['https://198.20.0.1', false],
  ['https://127.0.0.1.example.org', false],
  ['https://[2001:db8::1]', false],
])('results from %s may be synthetic: %s', (url, may) => {
  expect(canBeSynthetic(new URL(url))).toBe(may);
});

test.each([
  [{ synthetic: true, proteins: { a: { seq: 'M' } } }, true],
  [{ proteins: { a: { seq: 'M' } }, metadata: { synthetic: true } }, true],
  [[{ sequence: ['M'], shiftCrypt: ['1'], synthetic: true }], true],
  [[{ sequence: ['M'], shiftCrypt: ['1'], note: 'SYNTHETIC: shape only' }], true],
  [{ results: { prediction: { proteins: {}, metadata: { synthetic: true } } } }, true],
  [{ synthetic: false, proteins: { synthetic: { seq: 'M' } } }, false],
])('the label of %j says synthetic: %s', (json, says) => {
  expect(isSynthetic(Buffer.from(JSON.stringify(json)))).toBe(says);
});
