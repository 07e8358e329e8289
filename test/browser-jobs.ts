/** Jobs as a browser or another program submits them: plain requests, without our code. */
import { expect } from 'vitest';

interface Where {
  /** Of the prediction service: `{base_url}`. */
  readonly url: string;
  readonly moleculesUrl: string;
}

export class BrowserJobs {
  readonly #where: Where;
  readonly #token: string;

  constructor(where: Where, token: string) {
    this.#where = where;
    this.#token = token;
  }

  molecule(smiles: string, more: object = {}): Promise<string> {
    return this.#post(`${this.#where.moleculesUrl}/api`, 'hash_id', {
      inputFile: null,
      file_name: 'from a browser',
      charge_method: 'bcc',
      net_charge: null,
      atom_type: 'gaff2',
      email: null,
      smiles,
      ...more,
    });
  }

  sequence(sequence: string, predictors = 'dynamine', more: object = {}): Promise<string> {
    const body = { predictor_type: predictors, sequence, ...more };
    return this.#post(this.#api('submit/single-sequence/'), 'request_id', body);
  }

  alignment(text: string): Promise<string> {
    return this.#post(this.#api('submit/msa/'), 'request_id', { msa_data: text });
  }

  shifts(text: string): Promise<string> {
    return this.#post(this.#api('submit/shiftcrypt/'), 'request_id', { chemical_shifts: text });
  }

  /** The body of a finished prediction. */
  async result(id: string): Promise<string> {
    return (await fetch(this.#api(`results/${id}/`))).text();
  }

  #api(path: string): string {
    return `${this.#where.url}/online_predictors/api/${path}`;
  }

  async #post(url: string, key: string, body: object): Promise<string> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: this.#token, ...body }),
    });
    const json = (await answer.json()) as Record<string, string>;
    expect(answer.ok, JSON.stringify(json)).toBe(true);
    return json[key] ?? '';
  }
}
