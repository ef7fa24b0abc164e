import type { Kind } from '@tektite/schema';
import type { ControllerDefinition } from './controller-definition.ts';

/**
 * A system: everything that makes a set of kinds work. A value without state, so that it can be run on a cluster, run on
 * the embedded control plane, printed as manifests, or tested. See `examples/memcached-operator`.
 */
export interface System {
  readonly name: string;
  /** The kinds it defines, all their versions; the first of a group and kind is the one that is stored. */
  readonly kinds: readonly Kind[];
  readonly controllers: readonly ControllerDefinition[];
}
