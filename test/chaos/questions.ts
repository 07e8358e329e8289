/** Commands that only read, run repeatedly during a round: each must answer, whatever is frozen. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Typed } from '../cli/command.ts';
import type { Chronicle } from './chronicle.ts';

/** `cancel` of a campaign that does not exist: it must find that out, and changes nothing. */
const QUESTIONS: readonly (readonly string[])[] = [
  ['status', '--json'],
  ['status', 'a', '--json'],
  ['status', '--json'],
  ['doctor'],
  ['status', '--json'],
  ['cancel', 'nobody'],
];

/** Waiting time: the time that it computes, or waits for a core on a busy machine, is not counted. */
const ANSWERED_WITHIN_MS = 15_000;
/** Then it is killed. */
const GIVEN_UP_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 200;
/** A slow question must not delay others; too many of them would keep the machine busy. */
const AT_ONCE = 2;

interface Question {
  readonly typed: Typed;
  /** How long it has waited for others; null while it runs. */
  waitedMs: number | null;
  /** It was killed for another reason than being late. */
  excused: boolean;
}

export class Questions {
  readonly #type: (...words: readonly string[]) => Typed;
  readonly #chronicle: Chronicle;
  readonly #asked: Question[] = [];
  #stopped = true;
  #loop: Promise<void> = Promise.resolve();

  constructor(type: (...words: readonly string[]) => Typed, chronicle: Chronicle) {
    this.#type = type;
    this.#chronicle = chronicle;
  }

  start(everyMs: number): void {
    this.#stopped = false;
    this.#loop = this.#askOn(everyMs);
  }

  /** No more are started; returns when the last has its answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    await Promise.all(this.#asked.map(({ typed }) => typed.ended));
  }

  /** Those that wait for an answer are killed, as in a power cut. */
  kill(): void {
    for (const question of this.#open()) {
      question.excused = true;
      question.typed.kill('SIGKILL');
    }
  }

  /** Every question was answered in time: with a document, or an error with a code. */
  allAnswered(): void {
    const unanswered = this.#asked.filter(({ typed, waitedMs, excused }) => {
      if (excused) return false;
      const { exitCode } = typed.child;
      const late = waitedMs === null || waitedMs > ANSWERED_WITHIN_MS;
      const coded = /\[[A-Z][A-Z0-9_]+\]|"code":"[A-Z]/.test(`${typed.stderr}${typed.stdout}`);
      const findings = typed.words === 'doctor' && exitCode === 1;
      return late || !(exitCode === 0 || coded || findings);
    });
    expect(
      unanswered.map(({ typed, waitedMs }) => ({ waitedMs, story: typed.story() })),
      'questions without an answer in time',
    ).toEqual([]);
  }

  /** Read each time: it may be stopped at any moment. */
  #goesOn(): boolean {
    return !this.#stopped;
  }

  #open(): Question[] {
    return this.#asked.filter(({ typed }) => typed.running);
  }

  async #askOn(everyMs: number): Promise<void> {
    for (let n = 0; this.#goesOn(); n += 1) {
      const words = QUESTIONS[n % QUESTIONS.length] ?? [];
      if (this.#open().length < AT_ONCE) void this.#ask(words);
      const until = Date.now() + everyMs;
      while (Date.now() < until && this.#goesOn()) await delay(100);
    }
  }

  async #ask(words: readonly string[]): Promise<void> {
    const typed = this.#type(...words);
    const question: Question = { typed, waitedMs: null, excused: false };
    this.#asked.push(question);
    this.#chronicle.typed(typed.words, typed);
    const startedAt = Date.now();
    let busyMs = 0;
    const looking = setInterval(() => {
      busyMs = Math.max(busyMs, busyMsOf(typed.pid));
      if (Date.now() - startedAt - busyMs > GIVEN_UP_AFTER_MS) typed.kill('SIGKILL');
    }, LOOK_EVERY_MS);
    const { code, signal } = await typed.ended;
    clearInterval(looking);
    const tookMs = Date.now() - startedAt;
    question.waitedMs = tookMs - busyMs;
    const how = `${tookMs} ms, of which it waited ${question.waitedMs.toFixed(0)} ms`;
    this.#chronicle.note(`${typed.words} ended after ${how}: ${String(code ?? signal)}`);
  }
}

/** How long a process's main thread has run, or waited for a core (proc(5), schedstat); 0 if that is unknown. */
function busyMsOf(pid: number): number {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'latin1')
      .split(' ')
      .map(Number);
    return (ran + waited) / 1e6;
  } catch {
    return 0;
  }
}
