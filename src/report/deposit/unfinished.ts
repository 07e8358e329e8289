/**
 * An archive that is being written to a folder: `NAME.zip.unfinished`, and a journal of its complete entries. A killed
 * command continues from there: a complete entry is compared with its sum and kept, without reading its source again.
 * The archive gets its name only when it is complete.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileDigest } from '../../store/digest.ts';
import { syncFolder } from '../../store/folder-sync.ts';
import { system } from '../../store/system-calls.ts';
import { Journal, type JournalEntry } from './journal.ts';
import type { Part } from './parts.ts';
import { directoryBytes, entryBytes, type EndedEntry } from './zip-entry.ts';

/** Bytes per write. The journal records entries as complete once they are in the file. */
const TOGETHER = 2 ** 20;

export class UnfinishedArchive {
  readonly #path: string;
  readonly #modified: Date;
  readonly #journal: Journal;
  readonly #file: FileHandle;
  /** False after an entry was written: the kept ones come first. */
  #keeps = true;
  #kept = 0;
  /** Offset of the next entry. */
  #at = 0;
  #sum = createHash('sha256');
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #complete: JournalEntry[] = [];

  private constructor(path: string, modified: Date, journal: Journal, file: FileHandle) {
    this.#path = path;
    this.#modified = modified;
    this.#journal = journal;
    this.#file = file;
  }

  /**
   * @param path of the finished archive
   * @param modified of all entries
   * Throws `DEPOSIT_BUSY` if another process is writing it.
   */
  static async open(path: string, modified: Date): Promise<UnfinishedArchive> {
    const head = JSON.stringify({ format: 1, modified: modified.toISOString() });
    const journal = Journal.open(journalOf(path), head);
    // Does not follow a planted symbolic link.
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
    try {
      const file = await system(`write ${path}`, () => open(unfinished(path), flags));
      return new UnfinishedArchive(path, modified, journal, file);
    } catch (error) {
      journal.close();
      throw error;
    }
  }

  /** Kept from an earlier run, or read and written. */
  async add(part: Part): Promise<'kept' | 'written'> {
    const entry = this.#keeps ? await this.#keep(part) : null;
    if (entry !== null) {
      part.taken({ bytes: entry.size, sha256: entry.sha256 });
      return 'kept';
    }
    if (this.#keeps) await this.#cut();
    await this.#write(part);
    return 'written';
  }

  /** Gives the complete archive its name. */
  async finish(): Promise<FileDigest> {
    if (this.#keeps) await this.#cut();
    await this.#flush();
    const bytes = directoryBytes(this.#journal.entries(), this.#at, this.#modified);
    for (const record of bytes) await this.#append(record);
    await this.#flush();
    await system(`write ${this.#path}`, async () => {
      await this.#file.sync();
      await this.#file.close();
      await rename(unfinished(this.#path), this.#path);
      await syncFolder(dirname(this.#path));
    });
    this.#journal.remove();
    return { bytes: this.#at, sha256: this.#sum.digest('hex') };
  }

  /** Complete entries stay for the next run. */
  async close(): Promise<void> {
    await this.#file.close();
    this.#journal.close();
  }

  /** Removes everything. */
  async remove(): Promise<void> {
    await this.#file.close();
    await rm(unfinished(this.#path), { force: true });
    this.#journal.remove();
  }

  /** The next entry of the earlier run, if it is this part and is in the file as it was written. */
  async #keep({ path, sha256 }: Part): Promise<JournalEntry | null> {
    const entry = this.#journal.entry(this.#kept + 1);
    if (entry?.path !== path || entry.at !== this.#at) return null;
    if (sha256 !== entry.sha256) return null;
    const sum = createHash('sha256');
    const all = this.#sum.copy();
    let left = entry.bytes;
    while (left > 0) {
      const buffer = Buffer.allocUnsafe(Math.min(TOGETHER, left));
      const place = entry.at + entry.bytes - left;
      const { bytesRead } = await system(`read ${unfinished(this.#path)}`, () =>
        this.#file.read(buffer, 0, buffer.length, place),
      );
      if (bytesRead === 0) return null;
      const bytes = buffer.subarray(0, bytesRead);
      sum.update(bytes);
      all.update(bytes);
      left -= bytesRead;
    }
    if (sum.digest('hex') !== entry.sum) return null;
    this.#sum = all;
    this.#at += entry.bytes;
    this.#kept += 1;
    return entry;
  }

  /** From here on, entries are written. */
  async #cut(): Promise<void> {
    this.#keeps = false;
    this.#journal.cut(this.#at);
    await system(`write ${this.#path}`, () => this.#file.truncate(this.#at));
  }

  async #write(part: Part): Promise<void> {
    const { path } = part;
    const at = this.#at;
    const sum = createHash('sha256');
    const ended: EndedEntry[] = [];
    const head = { path, at, modified: this.#modified };
    for await (const bytes of entryBytes(head, part.data(), (entry) => ended.push(entry))) {
      sum.update(bytes);
      await this.#append(bytes);
    }
    for (const entry of ended) {
      part.taken({ bytes: entry.size, sha256: entry.sha256 });
      this.#complete.push({ ...entry, bytes: this.#at - at, sum: sum.digest('hex') });
    }
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#at += bytes.length;
    if (this.#waitingBytes >= TOGETHER) await this.#flush();
  }

  /** Writes to the file, and then to the journal. */
  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    const place = this.#at - bytes.length;
    this.#sum.update(bytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
    await system(`write ${this.#path}`, async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.#file.write(bytes, done, undefined, place + done);
        done += bytesWritten;
      }
    });
    if (this.#complete.length > 0) this.#journal.add(this.#complete.splice(0));
  }
}

function unfinished(path: string): string {
  return `${path}.unfinished`;
}

function journalOf(path: string): string {
  return `${path}.unfinished.db`;
}
