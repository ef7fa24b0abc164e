import { equalJson, type KubeObject, type StatusReason, StatusError } from '@tektite/meta';
import { costBudget, type Value } from '@tektite/schema';
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@tektite/schema/kubernetes';
import type { Draft, Resource } from '../../registry/resource.ts';
import { type AdmissionPlugin, type AdmissionRequest, type MutationRound, admissionForbidden } from '../admission.ts';
import { BudgetExceededError, CostBudget, evaluate, type Variables } from '../expression/evaluate.ts';
import { conditionsHold } from '../expression/match-conditions.ts';
import { requestVariables } from '../expression/request-variables.ts';
import { convertObject, ObjectVersions } from '../matching/object-versions.ts';
import { Reinvocation } from '../reinvocation.ts';
import { replaceContents } from '../replace-contents.ts';
import { isExempt } from '../webhook/webhook-caller.ts';
import { applyMutation, MutationError } from './apply-mutation.ts';
import { LazyVariables } from './composed-variables.ts';
import {
  type CompiledMutatingBinding,
  type CompiledMutatingPolicy,
  compileMutatingBinding,
  compileMutatingPolicy,
} from './mutating-policy.ts';
import { type BoundPolicy, PolicyIndex } from './policy-index.ts';
import { matchPolicyRequest } from './policy-match.ts';
import { collectParams, paramResource, PolicyConfigurationError } from './policy-params.ts';
import type { PolicyParts } from './validating-policies.ts';

/** A policy, bound, with one set of parameters, for one request. */
interface Invocation {
  readonly policy: CompiledMutatingPolicy;
  readonly binding: CompiledMutatingBinding;
  readonly resource: Resource;
  readonly params: KubeObject | undefined;
}

interface PolicyFailure {
  readonly message: string;
  readonly reason?: StatusReason;
}

/** Changes objects as the MutatingAdmissionPolicies that are bound want it. */
export class MutatingPolicies implements AdmissionPlugin, Disposable {
  readonly name = 'MutatingAdmissionPolicy';
  private readonly parts: PolicyParts;
  private readonly index: PolicyIndex<CompiledMutatingPolicy, CompiledMutatingBinding>;

  constructor(parts: PolicyParts) {
    this.parts = parts;
    this.index = new PolicyIndex(parts.storage, {
      policies: 'mutatingadmissionpolicies',
      bindings: 'mutatingadmissionpolicybindings',
      compilePolicy: (policy) => compileMutatingPolicy(policy as MutatingAdmissionPolicy),
      compileBinding: (binding) => compileMutatingBinding(binding as MutatingAdmissionPolicyBinding),
    });
  }

  mutate(request: AdmissionRequest, round: MutationRound): void | Promise<void> {
    const active = this.index.active();
    if (active.length === 0 || isExempt(request) || !request.object) return;
    return this.dispatch(active, request, round);
  }

  [Symbol.dispose](): void {
    this.index[Symbol.dispose]();
  }

  private async dispatch(
    active: readonly BoundPolicy<CompiledMutatingPolicy, CompiledMutatingBinding>[],
    request: AdmissionRequest,
    round: MutationRound,
  ): Promise<void> {
    const failures: PolicyFailure[] = [];
    const invocations: Invocation[] = [];
    for (const { policy, bindings } of active)
      invocations.push(...(await this.findInvocations(policy, bindings, request, failures)));
    const reinvocation = Reinvocation.begin(this.name, round, request);
    for (const invocation of invocations) await this.invoke(invocation, request, reinvocation, failures);
    reinvocation.end(request);
    if (failures.length > 0) throw failureError(request, failures);
  }

  private async findInvocations(
    policy: CompiledMutatingPolicy,
    bindings: readonly CompiledMutatingBinding[],
    request: AdmissionRequest,
    failures: PolicyFailure[],
  ): Promise<Invocation[]> {
    const { storage, resources, matcher } = this.parts;
    const resource = policy.match && matchPolicyRequest(policy.match, request, matcher);
    if (!resource) return [];
    const found: Invocation[] = [];
    let binding: CompiledMutatingBinding | undefined;
    try {
      const { paramKind } = policy.definition.spec ?? {};
      const kind = paramKind && paramResource(resources, paramKind);
      for (binding of bindings) {
        if (binding.match && !matchPolicyRequest(binding.match, request, matcher)) continue;
        for (const params of await collectParams(storage, kind, binding.paramRef, request.namespace))
          found.push({ policy, binding, resource, params });
      }
    } catch (error) {
      if (!(error instanceof PolicyConfigurationError)) throw error;
      const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${error.message}`;
      if (!policy.ignoresFailure) failures.push({ message: describe(policy, binding, message) });
    }
    return found;
  }

  private async invoke(
    invocation: Invocation,
    request: AdmissionRequest,
    reinvocation: Reinvocation,
    failures: PolicyFailure[],
  ): Promise<void> {
    const { policy, binding, resource, params } = invocation;
    const id = JSON.stringify([policy.name, binding.name, params?.metadata.namespace, params?.metadata.name]);
    const fail = (message: string) => {
      if (!policy.ignoresFailure) failures.push({ message: describe(policy, binding, message), reason: 'Invalid' });
    };
    const budget = new CostBudget(costBudget);
    const objects = await new ObjectVersions(request).in(resource);
    let object = objects.object as KubeObject;
    const lookup = this.variables(invocation, request, { ...objects }, budget);
    const conditions = conditionsHold(policy.rules.conditions, lookup(object));
    if (conditions.matches === undefined) return fail(conditions.error);
    if (!conditions.matches || !reinvocation.mayAsk(id)) return;
    for (const mutation of policy.rules.mutations) {
      try {
        const { value, error } = evaluate(mutation.expression, lookup(object), budget);
        if (error !== undefined) fail(mutation.expression.error ?? error);
        else object = applyMutation(mutation, value as Value, object, request.kind ? undefined : resource);
      } catch (error) {
        if (!(error instanceof MutationError || error instanceof BudgetExceededError)) throw error;
        fail(error.message);
      }
    }
    if (!equalJson(object, objects.object)) {
      const isOwn = request.kind !== undefined || resource === request.resource;
      const result = isOwn ? object : await convertObject(object, resource, request.resource);
      replaceContents(request.object as Draft, { ...(result as Draft) });
      reinvocation.objectChanged();
    }
    if (policy.isReinvoked) reinvocation.wasAsked(id);
  }

  /** The variables of an invocation; each mutation sees what those before it made of the object. */
  private variables(
    { policy, resource, params }: Invocation,
    request: AdmissionRequest,
    { oldObject }: { readonly oldObject: KubeObject | undefined },
    budget: CostBudget,
  ): (object: KubeObject) => Variables {
    const { matcher, authorizer } = this.parts;
    const namespace = matcher.namespaceOf(request);
    return (object) => {
      const objects = { object, oldObject };
      const base = requestVariables({ request, resource, objects, authorizer, namespace, params });
      let variables: Value | undefined;
      const lookup: Variables = (name) =>
        name === 'variables' ? (variables ??= new LazyVariables(policy.rules.variables, lookup, budget)) : base(name);
      return lookup;
    };
  }
}

function describe(
  policy: CompiledMutatingPolicy,
  binding: CompiledMutatingBinding | undefined,
  message: string,
): string {
  return binding
    ? `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`
    : `policy "${policy.name}" denied request: ${message}`;
}

/** The first failure is the message; all of them are causes. */
function failureError(request: AdmissionRequest, failures: readonly PolicyFailure[]): StatusError {
  const { status } = admissionForbidden(request, 'admission request denied by policy');
  const [first] = failures;
  return new StatusError({
    ...status,
    message: first?.message ?? '',
    ...(first?.reason ? { reason: first.reason } : {}),
    details: { ...status.details, causes: failures.map(({ message }) => ({ message })) },
  });
}
