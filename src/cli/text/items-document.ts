/** `items --json`: one document, written row by row. */
import type { ItemLine } from '../../campaigns/item-lines.ts';
import { beginDocument } from './output.ts';
import type { CampaignTree } from '../../campaigns/campaign-tree.ts';

/** Prints items as they come. */
export interface ItemsPrinter {
  line(line: ItemLine): Promise<void>;
  end(): Promise<void>;
}

export class ItemsDocument implements ItemsPrinter {
  readonly #head: string;
  #written = 0;

  constructor({ folder, campaign }: Pick<CampaignTree, 'folder' | 'campaign'>) {
    const { name } = campaign;
    this.#head = JSON.stringify({ campaign: name, out: folder, items: [] }).slice(0, -2);
  }

  async line(line: ItemLine): Promise<void> {
    beginDocument();
    await write(`${this.#written === 0 ? this.#head : ','}\n${JSON.stringify(line)}`);
    this.#written += 1;
  }

  async end(): Promise<void> {
    await write(`${this.#written === 0 ? this.#head : '\n'}]}\n`);
  }
}

const GOES_ON = ['drain', 'error', 'close'];

/** Waits for a slow reader, so that memory stays constant, but not for one that has closed the pipe (`| head`). */
async function write(text: string): Promise<void> {
  const { stdout } = process;
  if (stdout.errored || stdout.write(text)) return;
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      for (const event of GOES_ON) stdout.off(event, goOn);
      resolve();
    };
    for (const event of GOES_ON) stdout.on(event, goOn);
  });
}
