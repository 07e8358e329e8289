import { describe, expect, test } from 'vitest';
import { engineOfHistory, engineOfLog } from '../../src/services/engine.ts';
import { acpypeRecording } from './recordings.ts';

const BANNER = '| ACPYPE: AnteChamber PYthon Parser interfacE v. 2023.10.27 (c) 2026 AWSdS |';

describe('the log of a molecule', () => {
  test('contains the statement of this project’s services', () => {
    expect(engineOfLog(`engine: real, ACPYPE 2023.10.27, Open Babel 3\n${BANNER}\n`)).toBe(
      'real, ACPYPE 2023.10.27, Open Babel 3',
    );
  });

  test('of another service contains ACPYPE’s own header', () => {
    expect(engineOfLog(acpypeRecording('smi-ethanol-bcc-0-gaff2').log)).toBe('ACPYPE 2023.10.27');
  });

  test('may contain no engine', () => {
    expect(engineOfLog('')).toBeNull();
    expect(engineOfLog('the engine: broke')).toBeNull();
  });

  test('of the synthetic engine contains the word that the plan looks for', () => {
    expect(engineOfLog('engine: synthetic, 1\n')).toBe('synthetic');
  });
});

describe('the processing log of a prediction', () => {
  const running = (message: string | null) => ({ kind: 'state', state: 'RUNNING', message });

  test('names it where the job began to run; of several attempts, the last', () => {
    const history = [running('engine: recorded, b2bTools 3'), running('engine: real, b2bTools 3')];
    expect(engineOfHistory(JSON.stringify({ history, timeline: [] }))).toBe('real, b2bTools 3');
  });

  test.each(['', 'no JSON', '[]', '{"history":[null,{"message":7}]}', '{"history":{}}'])(
    'may contain no engine: %j',
    (text) => {
      expect(engineOfHistory(text)).toBeNull();
    },
  );

  test('ignores other messages', () => {
    expect(engineOfHistory(JSON.stringify({ history: [running(null)] }))).toBeNull();
  });
});
