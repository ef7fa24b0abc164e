import { isStatusError, type StatusReason, StatusError } from '@tektite/meta';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@tektite/schema/kubernetes';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { Resource } from '../../registry/resource.ts';
import type { ResourceTable } from '../../registry/resource-table.ts';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, admissionForbidden } from '../admission.ts';
import { requestVariables } from '../expression/request-variables.ts';
import { ObjectVersions } from '../matching/object-versions.ts';
import type { RequestMatcher } from '../matching/request-matcher.ts';
import { isExempt } from '../webhook/webhook-caller.ts';
import { evaluatePolicy, type PolicyViolation } from './evaluate-policy.ts';
import { annotateViolations, PolicyAnnotations } from './policy-annotations.ts';
import { type BoundPolicy, PolicyIndex } from './policy-index.ts';
import { matchPolicyRequest } from './policy-match.ts';
import { collectParams, paramResource, PolicyConfigurationError } from './policy-params.ts';
import { type CompiledBinding, type CompiledPolicy, compileBinding, compilePolicy } from './validating-policy.ts';

export interface PolicyParts {
  readonly storage: Storage;
  readonly resources: ResourceTable;
  readonly matcher: RequestMatcher;
  readonly authorizer: Authorizer;
}

/** A denial, with its policy. */
interface Denial extends PolicyViolation {
  readonly policy: string;
  readonly binding?: string;
}

/** Refuses, or warns of, requests that break the rules of ValidatingAdmissionPolicies that are bound. */
export class ValidatingPolicies implements AdmissionPlugin, Disposable {
  readonly name = 'ValidatingAdmissionPolicy';
  private readonly parts: PolicyParts;
  private readonly index: PolicyIndex<CompiledPolicy, CompiledBinding>;

  constructor(parts: PolicyParts) {
    this.parts = parts;
    this.index = new PolicyIndex(parts.storage, {
      policies: 'validatingadmissionpolicies',
      bindings: 'validatingadmissionpolicybindings',
      compilePolicy: (policy) => compilePolicy(policy as ValidatingAdmissionPolicy),
      compileBinding: (binding) => compileBinding(binding as ValidatingAdmissionPolicyBinding),
    });
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    const active = this.index.active();
    if (active.length === 0 || isExempt(request)) return;
    return this.review(active, request);
  }

  [Symbol.dispose](): void {
    this.index[Symbol.dispose]();
  }

  private async review(
    active: readonly BoundPolicy<CompiledPolicy, CompiledBinding>[],
    request: AdmissionRequest,
  ): Promise<void> {
    const versions = new ObjectVersions(request);
    const denials: Denial[] = [];
    for (const { policy, bindings } of active) {
      const resource = policy.match && matchPolicyRequest(policy.match, request, this.parts.matcher);
      if (resource) denials.push(...(await this.reviewPolicy(policy, bindings, resource, request, versions)));
    }
    const [first] = denials;
    if (first) throw denialError(request, first);
  }

  private async reviewPolicy(
    policy: CompiledPolicy,
    bindings: readonly CompiledBinding[],
    resource: Resource,
    request: AdmissionRequest,
    versions: ObjectVersions,
  ): Promise<Denial[]> {
    const misconfigured = (what: string, error: unknown, binding?: string): Denial[] => {
      const isOurs = error instanceof PolicyConfigurationError || isStatusError(error);
      if (!isOurs) throw error;
      if (policy.ignoresFailure) return [];
      const message = `failed to configure ${what}: ${error.message}`;
      return [{ message, reason: '', index: 0, policy: policy.name, ...(binding === undefined ? {} : { binding }) }];
    };
    let params: Resource | undefined;
    try {
      const { paramKind } = policy.definition.spec ?? {};
      params = paramKind && paramResource(this.parts.resources, paramKind);
    } catch (error) {
      return misconfigured('policy', error);
    }
    const denials: Denial[] = [];
    const annotations = new PolicyAnnotations();
    for (const binding of bindings) {
      try {
        if (binding.match && !matchPolicyRequest(binding.match, request, this.parts.matcher)) continue;
        denials.push(...(await this.reviewBinding(policy, binding, resource, params, request, versions, annotations)));
      } catch (error) {
        denials.push(...misconfigured('binding', error, binding.name));
      }
    }
    annotations.publish(policy.name, request);
    return denials;
  }

  private async reviewBinding(
    policy: CompiledPolicy,
    binding: CompiledBinding,
    resource: Resource,
    paramKind: Resource | undefined,
    request: AdmissionRequest,
    versions: ObjectVersions,
    annotations: PolicyAnnotations,
  ): Promise<Denial[]> {
    const { storage, matcher, authorizer } = this.parts;
    const collected = await collectParams(storage, paramKind, binding.paramRef, request.namespace);
    if (collected.length === 0) return [];
    const objects = await versions.in(resource);
    const namespace = matcher.namespaceOf(request);
    const results = collected.map((params) =>
      evaluatePolicy(policy, requestVariables({ request, resource, objects, authorizer, namespace, params })),
    );
    const violations = results.flatMap((result) => result.violations);
    for (const result of results) annotations.add(result.annotations);
    if (binding.actions.includes('Audit')) annotateViolations(request, policy, binding, violations);
    if (binding.actions.includes('Warn'))
      for (const { message } of violations)
        request.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
        );
    const denied = results.flatMap((result) =>
      binding.actions.includes('Deny') ? [...result.violations, ...result.denials] : result.denials,
    );
    return denied.map((violation) => ({ ...violation, policy: policy.name, binding: binding.name }));
  }
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

function denialError(request: AdmissionRequest, { policy, binding, message, reason }: Denial): StatusError {
  const whose = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${whose} denied request: ${message}`;
  const { status } = admissionForbidden(request, text);
  return new StatusError({
    ...status,
    code: codes[reason] ?? 422,
    reason: (reason || 'Invalid') as StatusReason,
    details: { ...status.details, causes: [...(status.details?.causes ?? []), { message: text }] },
  });
}
