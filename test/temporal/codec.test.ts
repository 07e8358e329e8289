/** The module of the user's own that encodes payloads. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataConverterOf } from '../../src/temporal/codec.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { payloadCodec, PAYLOAD_CODEC } from '../payload-codec.ts';

test('its codec is used, and nothing without one', async () => {
  const [codec] = dataConverterOf(PAYLOAD_CODEC).payloadCodecs ?? [];
  const sent = [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"x"') }];
  const encoded = (await codec?.encode(sent)) ?? [];
  expect(Buffer.from(encoded[0]?.data ?? []).includes('json/plain')).toBe(false);
  expect(await payloadCodec.decode(encoded)).toMatchObject([{ data: sent[0]?.data }]);
  expect(dataConverterOf(null)).toEqual({});
});

test.each([
  ['has a fault', 'export const payloadCodec = (;\n'],
  ['exports no codec', 'export const codec = {};\n'],
  ['does not exist', null],
])('is refused if it %s', async (_, text) => {
  const module = join(await temporaryFolder(), 'codec.ts');
  if (text !== null) writeFileSync(module, text);
  const refused = expect.objectContaining({ code: 'CONFIG_PAYLOAD_CODEC' }) as Error;
  expect(() => dataConverterOf(module)).toThrow(refused);
});
