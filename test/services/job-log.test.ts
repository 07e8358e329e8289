/** What the log of a job says about it: its engine, and when it ran. */
import { expect, test } from 'vitest';
import { readEngine, readTiming } from '../../src/kinds/protein/artefacts.ts';
import { findEngine } from '../../src/kinds/provenance.ts';
import { acpypeRecording } from './recordings.ts';

const BANNER = '| ACPYPE: AnteChamber PYthon Parser interfacE v. 2023.10.27 (c) 2026 AWSdS |';
const state = (state: string, second: number, message: string | null = null) => ({
  kind: 'state',
  timestamp: `2026-11-21T10:00:0${second}.500+00:00`,
  state,
  message,
});

test.each([
  [
    `engine: real, ACPYPE 2023.10.27, Open Babel 3\n${BANNER}\n`,
    'real, ACPYPE 2023.10.27, Open Babel 3',
  ],
  [acpypeRecording('smi-ethanol-bcc-0-gaff2').log, 'ACPYPE 2023.10.27'],
  ['', null],
  ['the engine: broke', null],
  ['engine: synthetic, 1\n', 'synthetic'],
])('the log of a molecule names the engine, or its version, or nothing (%#)', (log, engine) => {
  expect(findEngine(log)).toBe(engine);
});

test('the log of a prediction names the engine of its last attempt, and shows when it ran', () => {
  const history = [
    state('enqueued', 0),
    state('RUNNING', 2, 'engine: recorded, b2bTools 3'),
    state('RUNNING', 3, 'engine: real, b2bTools 3'),
    state('FINISHED', 5),
  ];
  expect(readEngine(JSON.stringify({ history, timeline: [] }))).toBe('real, b2bTools 3');
  expect(readTiming(JSON.stringify({ history }))).toMatchObject({
    queuedAt: '2026-11-21T10:00:00.500+00:00',
    startedAt: '2026-11-21T10:00:02.500+00:00',
    finishedAt: '2026-11-21T10:00:05.500+00:00',
    queueWaitSeconds: 2,
    elapsedSeconds: 3,
  });
});

test('the merged view works like the list of states', () => {
  const timeline = [state('RUNNING', 1), { kind: 'message', message: 'x' }, state('FINISHED', 2)];
  expect(readTiming(JSON.stringify({ timeline }))?.elapsedSeconds).toBe(1);
});

test.each(['', 'no JSON', '[]', '{}', '{"history":[null,{"message":7}]}', '{"history":{}}'])(
  'the log %j of a prediction says nothing',
  (text) => {
    expect([readEngine(text), readTiming(text)]).toEqual([null, null]);
  },
);
