import type { Clock, KubeObject, Random } from '@tektite/meta';
import type { AdmissionChain } from '../admission/admission.ts';
import type { Storage } from '../storage/storage.ts';
import type { StrategyContext } from '../registry/kind-strategy.ts';
import type { Draft, Resource } from '../registry/resource.ts';

/** The dependencies of the object store. */
export interface ObjectStoreParts {
  readonly storage: Storage;
  readonly admission: AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
  /** Work a kind does beside its own object when it is written (a Service takes an address). */
  readonly sideEffects?: SideEffects;
}

/** Hooks around writes of kinds that touch more than themselves. Each may change the draft; a failed write is undone. */
export interface SideEffects {
  beforeCreate?(resource: Resource, draft: Draft, context: StrategyContext): (() => void) | undefined;
  beforeUpdate?(resource: Resource, draft: Draft, old: KubeObject, context: StrategyContext): (() => void) | undefined;
  afterDelete?(resource: Resource, object: KubeObject): void;
}
