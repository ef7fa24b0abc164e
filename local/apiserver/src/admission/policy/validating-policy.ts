import { boolType, type CelEnvironment, type CelType, nullType, stringType } from '@tektite/schema';
import type {
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
} from '@tektite/schema/kubernetes';
import {
  admissionEnvironment,
  type CompiledExpression,
  compileExpression,
} from '../../registry/kinds/admissionregistration/admission-environment.ts';
import { type ComposedVariables, composeVariables } from './composed-variables.ts';
import { type CompiledMatch, compileMatch } from './policy-match.ts';

/** One rule of a policy. */
export interface CompiledValidation {
  readonly rule: Validation;
  readonly expression: CompiledExpression;
  readonly message?: CompiledExpression;
}

/** The expressions of a policy, compiled. */
export interface CompiledRules {
  readonly variables: ComposedVariables;
  readonly conditions: readonly CompiledExpression[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly key: string; readonly expression: CompiledExpression }[];
}

/** A policy with everything that can be prepared before there is a request. */
export interface CompiledPolicy {
  readonly definition: ValidatingAdmissionPolicy;
  readonly name: string;
  readonly match: CompiledMatch | undefined;
  readonly ignoresFailure: boolean;
  /** Compiled when the policy is first used. */
  readonly rules: CompiledRules;
}

export function compilePolicy(definition: ValidatingAdmissionPolicy): CompiledPolicy {
  const { spec } = definition;
  let rules: CompiledRules | undefined;
  return {
    definition,
    name: definition.metadata.name ?? '',
    match: spec?.matchConstraints && compileMatch(spec.matchConstraints),
    ignoresFailure: spec?.failurePolicy === 'Ignore',
    get rules() {
      return (rules ??= compileRules(definition));
    },
  };
}

function compileRules({ spec }: ValidatingAdmissionPolicy): CompiledRules {
  const hasParams = spec?.paramKind !== undefined;
  const environmentFor = (variables: CelType, hasAuthorizer: boolean): CelEnvironment =>
    admissionEnvironment({ hasParams, hasAuthorizer, variables });
  const variables = composeVariables(spec?.variables ?? [], (type) => environmentFor(type, true));
  const environment = environmentFor(variables.type, true);
  // Messages are public; the authorizer is not available there.
  const messages = environmentFor(variables.type, false);
  return {
    variables,
    conditions: (spec?.matchConditions ?? []).map(({ expression }) =>
      compileExpression(environment, expression, [boolType]),
    ),
    validations: (spec?.validations ?? []).map((rule) => ({
      rule,
      expression: compileExpression(environment, rule.expression, [boolType]),
      ...(rule.messageExpression ? { message: compileExpression(messages, rule.messageExpression, [stringType]) } : {}),
    })),
    annotations: (spec?.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      expression: compileExpression(environment, valueExpression, [stringType, nullType]),
    })),
  };
}

/** A binding, prepared. */
export interface CompiledBinding {
  readonly name: string;
  /** Absent: the binding is about all that its policy is about. */
  readonly match: CompiledMatch | undefined;
  readonly actions: readonly string[];
  readonly paramRef: ParamRef | undefined;
}

export function compileBinding({ metadata, spec }: ValidatingAdmissionPolicyBinding): CompiledBinding {
  return {
    name: metadata.name ?? '',
    match: spec?.matchResources && compileMatch(spec.matchResources),
    actions: spec?.validationActions ?? [],
    paramRef: spec?.paramRef,
  };
}
