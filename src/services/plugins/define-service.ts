/** A service as a plugin writes it: it needs no secrets unless it says so. */
import type { z } from 'zod';
import {
  defineService,
  type ServedKind,
  type Service,
  type ServiceDefinition,
} from '../service.ts';
import { mark } from './mark.ts';

export function definePluginService<
  const N extends string,
  K extends ServedKind,
  C extends z.ZodObject = z.ZodObject,
>(definition: ServiceDefinition<N, K, C>): Service & { readonly name: N } {
  if (typeof definition.name !== 'string') throw new TypeError('defineService needs name');
  // What does not have the form is told when the plugin is loaded, with all other faults.
  return mark('service', { ...defineService<N, K, C>({ secrets: {}, ...definition }) });
}
