/** An item's options as stored in item.json: the manifest's own column names. */
import { z } from 'zod';
import {
  ATOM_TYPES,
  CHARGE_METHODS,
  MODEL_CLASSES,
  PREDICTORS,
  type Kind,
  type Options,
} from '../domain/item.ts';

const molecule = z.object({
  charge_method: z.enum(CHARGE_METHODS),
  net_charge: z.int().nullable(),
  atom_type: z.enum(ATOM_TYPES),
});
const sequence = z.object({ predictors: z.array(z.enum(PREDICTORS)).min(1) });
const shifts = z.object({ model_class: z.enum(MODEL_CLASSES), original_numbering: z.boolean() });

export function optionsToDisk(options: Options): Readonly<Record<string, unknown>> {
  switch (options.kind) {
    case 'molecule':
      return {
        charge_method: options.chargeMethod,
        net_charge: options.netCharge,
        atom_type: options.atomType,
      };
    case 'sequence':
      return { predictors: options.predictors };
    case 'alignment':
      return {};
    case 'shifts':
      return { model_class: options.modelClass, original_numbering: options.originalNumbering };
  }
}

/** @throws z.ZodError when a value is missing or not allowed */
export function optionsFromDisk(kind: Kind, disk: unknown): Options {
  switch (kind) {
    case 'molecule': {
      const found = molecule.parse(disk);
      return {
        kind,
        chargeMethod: found.charge_method,
        netCharge: found.net_charge,
        atomType: found.atom_type,
      };
    }
    case 'sequence':
      return { kind, predictors: sequence.parse(disk).predictors };
    case 'alignment':
      return { kind };
    case 'shifts': {
      const found = shifts.parse(disk);
      return {
        kind,
        modelClass: found.model_class,
        originalNumbering: found.original_numbering,
      };
    }
  }
}
