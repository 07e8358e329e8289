import { expect, test } from 'vitest';
import { isSynthetic, mayBeSynthetic } from '../../src/services/synthetic.ts';

test.each([
  'http://localhost:8080',
  'http://services:8080/acpype',
  'http://127.0.0.1:8080',
  'http://[::1]:8080',
  'http://10.1.2.3',
  'http://172.20.0.4',
  'http://192.168.1.7',
  'http://198.18.244.6:8080',
  'http://[fd00::1]',
])('accepts synthetic results from %s', (url) => {
  expect(mayBeSynthetic(new URL(url))).toBe(true);
});

test.each([
  'https://acpype.example.org',
  'https://172.32.0.1',
  'https://11.0.0.1',
  'https://198.20.0.1',
  'https://127.0.0.1.example.org',
  'https://[2001:db8::1]',
])('accepts none from %s', (url) => {
  expect(mayBeSynthetic(new URL(url))).toBe(false);
});

test.each([
  { synthetic: true, proteins: { a: { seq: 'M' } } },
  { proteins: { a: { seq: 'M' } }, metadata: { synthetic: true } },
  [{ sequence: ['M'], shiftCrypt: ['1'], synthetic: true }],
  [{ sequence: ['M'], shiftCrypt: ['1'], note: 'SYNTHETIC: shape only' }],
  { results: { prediction: { proteins: {}, metadata: { synthetic: true } } } },
])('recognises a synthetic result by its label: %j', (json) => {
  expect(isSynthetic(Buffer.from(JSON.stringify(json)))).toBe(true);
});

test('does not recognise another result as synthetic', () => {
  const json = { synthetic: false, proteins: { synthetic: { seq: 'M' } } };
  expect(isSynthetic(Buffer.from(JSON.stringify(json)))).toBe(false);
});
