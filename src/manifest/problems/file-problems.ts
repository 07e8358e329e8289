/** The part of the registry for the files that rows name. */
import type { Facts, ProblemCode } from './facts.ts';
import { list, shown } from './show.ts';
import type { ProblemWording } from './wording.ts';

export const UTF8 =
  'Save it as UTF-8 (in a spreadsheet: "CSV UTF-8"; on a command line: iconv -t UTF-8).';

type FileCode = Extract<ProblemCode, `MANIFEST_FILE_${string}`>;

export const FILE_PROBLEMS: { readonly [C in FileCode]: ProblemWording<Facts[C]> } = {
  MANIFEST_FILE_OUTSIDE: {
    severity: 'error',
    message: (_, value) => `\`${value}\` is outside the folder of the manifest.`,
    remedy: () => 'Copy the file beside the manifest, or pass --allow-outside if you trust it.',
  },
  MANIFEST_FILE_NOT_FOUND: {
    severity: 'error',
    message: (_, value) => `There is no file \`${value}\`.`,
    remedy: () => 'Paths are relative to the folder of the manifest and use `/`; case matters.',
  },
  MANIFEST_FILE_UNREADABLE: {
    severity: 'error',
    message: ({ reason }, value) => `\`${value}\` cannot be read (${reason}).`,
    remedy: () => 'Check the permissions of the file, and that its disk works.',
  },
  MANIFEST_FILE_NOT_REGULAR: {
    severity: 'error',
    message: (_, value) => `\`${value}\` is not a regular file.`,
    remedy: () => 'Use a regular file: a folder or a device cannot be an input.',
  },
  MANIFEST_FILE_EMPTY: {
    severity: 'error',
    message: (_, value) => `\`${value}\` is empty.`,
    remedy: () => 'Download or export the file again.',
  },
  MANIFEST_FILE_TOO_LARGE: {
    severity: 'error',
    message: ({ bytes, limitMegabytes }, value) =>
      `\`${value}\` has ${String(Math.ceil(bytes / 1e6))} MB; an input may have up to ${String(limitMegabytes)} MB.`,
    remedy: () => 'Keep only the one molecule, alignment or shift list that you mean.',
  },
  MANIFEST_FILE_NOT_UTF8: {
    severity: 'error',
    message: ({ line }, value) =>
      `\`${value}\` has bytes in line ${String(line)} that are not UTF-8.`,
    remedy: () => UTF8,
  },
  MANIFEST_FILE_TYPE: {
    severity: 'error',
    message: ({ extension }, value) =>
      extension === ''
        ? `\`${value}\` has no extension, so its format is not known.`
        : `\`${value}\` ends in \`${shown(extension)}\`, which is not an input of this kind.`,
    remedy: ({ allowed }) => `Convert it to one of ${list(allowed)}.`,
  },
};
