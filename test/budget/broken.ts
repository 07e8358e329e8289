/** A promise of the budget that a history has broken. */
export class Broken extends Error {
  constructor(promise: string, found: string) {
    super(`${promise}: ${found}`);
    this.name = 'Broken';
  }
}
