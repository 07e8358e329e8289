/** Submitting a molecule (contract of the molecule service, 2.1, 2.2, 4.1, 4.2). */
import type { FastifyInstance } from 'fastify';
import { newDraft, note, type CheckedSubmission, type Draft } from '../admission.ts';
import { checked } from '../checked.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { submissionSchema } from './schemas.ts';

const ATOM_LIMIT = 200;

function checkAtoms(fileName: string, inputFile: string): void {
  const atoms = countAtoms(fileName, inputFile);
  if (atoms === null) {
    throw new Refusal(
      400,
      `file_name must carry the extension of a coordinate file: ${COORDINATE_ENDINGS.join(', ')}.`,
    );
  }
  if (atoms > ATOM_LIMIT) {
    throw new Refusal(
      400,
      `The molecule has ${String(atoms)} atoms; coordinate files may have up to ${String(ATOM_LIMIT)}.`,
    );
  }
}

function readSubmission(received: unknown, draft: Draft): CheckedSubmission {
  note(received, draft);
  const { token, email, smiles, inputFile, ...body } = checked(submissionSchema, received);
  if (inputFile !== null) checkAtoms(body.file_name, inputFile);
  return {
    token,
    uniqueName: null,
    public: body.public ?? false,
    input: {
      job: {
        kind: 'molecule',
        smiles,
        inputFile,
        fileName: body.file_name,
        chargeMethod: body.charge_method,
        netCharge: body.net_charge === null ? null : Number(body.net_charge),
        atomType: body.atom_type,
      },
      original: smiles ?? inputFile ?? '',
      // The finished record repeats the token (2.4), so it is stored.
      details: { token, email },
    },
  };
}

export function submitRoute(app: FastifyInstance, base: string, services: Services): void {
  const config = {
    service: 'molecules',
    endpoint: 'submit',
    requestType: 'molecule',
  } as const;
  app.post(`${base}/api`, { config }, async (request, reply) => {
    const draft = newDraft(request);
    const accepted = await services.admission.receive(draft, () =>
      readSubmission(request.body, draft),
    );
    void reply.headers(accepted.headers);
    return {
      Location: `/api/queue/${accepted.id}/`,
      hash_id: accepted.id,
      message: 'Your request is being processed. Check the queue for its status.',
    };
  });
}

/** Counts the atoms of a coordinate file (contract of the molecule service, 8), by the format in its name. */

const COORDINATE_ENDINGS = ['pdb', 'mol2', 'mdl', 'mol', 'sdf'] as const;

/** The atoms in the file, or null for a format that is not accepted. For a text without atoms: 0. */
function countAtoms(fileName: string, content: string): number | null {
  const ending = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const lines = content.split(/\r\n|\r|\n/);
  switch (ending) {
    case 'pdb':
      return firstModel(lines).filter((line) => /^(ATOM {2}|HETATM)/.test(line)).length;
    case 'mol2':
      return mol2Atoms(lines);
    case 'mdl':
    case 'mol':
    case 'sdf':
      return molfileAtoms(lines);
    default:
      return null;
  }
}

/** Further models repeat the same atoms. */
function firstModel(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => line.startsWith('ENDMDL'));
  return end < 0 ? lines : lines.slice(0, end);
}

function mol2Atoms(lines: readonly string[]): number {
  const start = lines.findIndex((line) => line.trim() === '@<TRIPOS>ATOM');
  if (start < 0) return 0;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('@<TRIPOS>'));
  return (end < 0 ? rest : rest.slice(0, end)).filter((line) => line.trim() !== '').length;
}

/** V2000: the fourth line begins with the count in three columns. V3000: `M  V30 COUNTS atoms ...`. */
function molfileAtoms(lines: readonly string[]): number {
  const counts = lines[3] ?? '';
  if (counts.includes('V3000')) {
    const line = lines.find((text) => text.startsWith('M  V30 COUNTS'));
    return Number.parseInt(line?.split(/\s+/)[3] ?? '0', 10) || 0;
  }
  return Number.parseInt(counts.slice(0, 3), 10) || 0;
}
