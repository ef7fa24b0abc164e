import { type Random, randomUid, type StatusError } from '@tektite/meta';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { Resource } from '../../registry/resource.ts';
import { type AdmissionRequest, admissionForbidden } from '../admission.ts';
import { conditionsHold } from '../expression/match-conditions.ts';
import { requestVariables } from '../expression/request-variables.ts';
import type { ReviewedObjects } from '../matching/object-versions.ts';
import type { RequestMatcher } from '../matching/request-matcher.ts';
import { type WebhookDecision, createReview, InvalidResponseError, readDecision } from './admission-review.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { denial, dryRunUnsupportedError, WebhookCallError } from './webhook-errors.ts';

export interface WebhookCallerParts {
  readonly matcher: RequestMatcher;
  readonly authorizer: Authorizer;
  readonly random: Random;
}

/** Gives the objects under review in the version of a resource. */
export type ObjectsIn = (resource: Resource) => Promise<ReviewedObjects>;

/** Webhooks never see the configuration of admission itself: an error in one could not be corrected. */
const exemptKinds = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

export function isExempt({ resource }: AdmissionRequest): boolean {
  return resource.group === 'admissionregistration.k8s.io' && exemptKinds.has(resource.kind);
}

const passed: WebhookDecision = { allowed: true, warnings: [], auditAnnotations: {}, patchType: '' };

/** Decides whether a webhook is to be called, and calls it. */
export class WebhookCaller {
  private readonly parts: WebhookCallerParts;

  constructor(parts: WebhookCallerParts) {
    this.parts = parts;
  }

  get matcher(): RequestMatcher {
    return this.parts.matcher;
  }

  /** The version in which the webhook wants to see the request; `undefined` when it does not. Throws a StatusError. */
  async wantedVersion(
    webhook: CompiledWebhook,
    request: AdmissionRequest,
    objectsIn: ObjectsIn,
  ): Promise<Resource | undefined> {
    const resource = this.parts.matcher.match(webhook.criteria, request);
    if (!resource || webhook.conditions.length === 0) return resource;
    const objects = await objectsIn(resource);
    const variables = requestVariables({ request, resource, objects, authorizer: this.parts.authorizer });
    const result = conditionsHold(webhook.conditions, variables);
    if (result.matches !== undefined) return result.matches ? resource : undefined;
    if (webhook.ignoresFailure) return undefined;
    throw admissionForbidden(request, result.error);
  }

  /**
   * Calls the webhook and forwards its warnings. Throws its denial as a StatusError, and a {@link WebhookCallError}
   * when the call fails.
   */
  async call(
    webhook: CompiledWebhook,
    request: AdmissionRequest,
    resource: Resource,
    objects: ReviewedObjects,
    mutating: boolean,
  ): Promise<WebhookDecision> {
    const { name } = webhook;
    if (request.dryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun')
      throw dryRunUnsupportedError(name);
    if (webhook.client.passes(request)) return passed;
    const review = createReview(request, resource, objects, webhook.reviewVersions, randomUid(this.parts.random));
    if (!review) {
      const reason = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
      throw new WebhookCallError(name, `could not create admission objects: ${reason}`);
    }
    let decision: WebhookDecision;
    try {
      decision = readDecision(await webhook.client.post(review, webhook.timeoutSeconds), review, mutating);
    } catch (cause) {
      const what =
        cause instanceof InvalidResponseError ? 'received invalid webhook response' : 'failed to call webhook';
      throw new WebhookCallError(name, `${what}: ${(cause as Error).message}`, { cause });
    }
    for (const [key, value] of Object.entries(decision.auditAnnotations)) request.annotate?.(`${name}/${key}`, value);
    for (const warning of decision.warnings) request.warn(warning);
    if (!decision.allowed) throw denial(name, decision.status);
    return decision;
  }
}

/** Whether a failed call is ignored, as the failure policy says: the request goes on as if there were no such webhook. */
export function failsOpen(webhook: CompiledWebhook, error: unknown): boolean {
  return webhook.ignoresFailure && error instanceof WebhookCallError;
}

/** The consequence of a failed call: an error for the client, or nothing with the failure policy `Ignore`. */
export function failureOf(webhook: CompiledWebhook, error: unknown): StatusError | undefined {
  if (!(error instanceof WebhookCallError)) return error as StatusError;
  return webhook.ignoresFailure ? undefined : error.toStatusError();
}
