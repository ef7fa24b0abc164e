import type { KubeObject } from '@tektite/meta';
import type { ScopedResourceSelectorRequirement } from '@tektite/schema/kubernetes';
import type { AdmissionRequest } from '../../admission.ts';
import type { Amounts } from './amounts.ts';

/** How objects of one resource count towards quotas. */
export interface QuotaEvaluator {
  /** Whether the request can change what is used. */
  handles(request: AdmissionRequest): boolean;
  /** Whether a quota on that resource is about objects like this. */
  counts(resource: string): boolean;
  usage(object: KubeObject): Amounts;
  /** The fields that an object must set where a quota limits these resources; the violation if it does not. */
  constraint?(object: KubeObject, resources: readonly string[]): string | undefined;
  /** Whether an object is in a scope. Without it, no object is in any. */
  inScope?(object: KubeObject, scope: ScopedResourceSelectorRequirement): boolean;
}
