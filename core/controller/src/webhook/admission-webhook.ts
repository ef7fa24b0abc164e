import type { Kind } from '@tektite/schema';
import type { LabelSelector } from '@tektite/schema/kubernetes';
import type { AdmissionOperation, AdmissionRequest, AdmissionResponse, ReviewUser } from './admission-review.ts';

/** The context of a webhook's function. */
export interface AdmissionContext<T> {
  readonly operation: AdmissionOperation;
  /** The old object. Absent for CREATE; for DELETE it is the object itself. */
  readonly old: T | undefined;
  /** Empty, or `status`, `scale`, ... */
  readonly subresource: string;
  readonly userInfo: ReviewUser;
  /** Nothing will be stored; nothing may happen elsewhere either. */
  readonly dryRun: boolean;
  /** Aborted when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Which writes a webhook wants to see. */
export interface AdmissionRule {
  readonly kind: Pick<Kind, 'group' | 'version' | 'plural' | 'scope'>;
  readonly operations: readonly AdmissionOperation[];
  /** The object itself is `''`; `*` is the object and all its subresources. */
  readonly subresources: readonly string[];
}

/** How the API server is to treat the webhook; see `ValidatingWebhookConfiguration`. */
export interface AdmissionOptions {
  /** The effect of an unreachable webhook. Default `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** How long the API server waits. Default 10, as upstream. */
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** Expressions (CEL) that all have to hold. Servers before 1.27 do not know them. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

/** The sort of a write: what is done, and to which part of an object. */
export interface ReviewedWrite {
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** A webhook that reviews writes: one path, one name, any number of kinds. */
export interface AdmissionWebhook {
  readonly type: 'mutating' | 'validating';
  /** A domain name with at least three parts. Denials begin with it, and its configuration has this name. */
  readonly name: string;
  readonly path: string;
  readonly rules: readonly AdmissionRule[];
  readonly options: AdmissionOptions;
  /** Whether writes of this sort are always allowed. Then this process does not call the webhook. */
  passes?(write: ReviewedWrite): boolean;
  /** Decides. Rejects only when it fails, which is not the same as a denial. */
  review(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionResponse>;
}

/** The context of a webhook's function, from a request. */
export function contextOf<T>(request: AdmissionRequest, old: T | undefined, signal: AbortSignal): AdmissionContext<T> {
  const { operation, subResource: subresource, userInfo, dryRun } = request;
  return { operation, old, subresource, userInfo, dryRun, signal };
}
