import { boolType, type CelType } from '@tektite/schema';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
  ParamRef,
} from '@tektite/schema/kubernetes';
import { appliedObject, patchList, patchTypes } from '../../registry/kinds/admissionregistration/expressions.ts';
import {
  admissionEnvironment,
  type CompiledExpression,
  compileExpression,
} from '../../registry/kinds/admissionregistration/admission-environment.ts';
import { type ComposedVariables, composeVariables } from './composed-variables.ts';
import { BuiltObject } from './patch-value.ts';
import { type CompiledMatch, compileMatch } from './policy-match.ts';

/** One change that a policy makes. */
export interface CompiledMutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: CompiledExpression;
}

/** The expressions of a policy, compiled. */
export interface CompiledMutations {
  readonly variables: ComposedVariables;
  readonly conditions: readonly CompiledExpression[];
  readonly mutations: readonly CompiledMutation[];
}

/** A policy with everything that can be prepared before there is a request. */
export interface CompiledMutatingPolicy {
  readonly definition: MutatingAdmissionPolicy;
  readonly name: string;
  readonly match: CompiledMatch | undefined;
  readonly ignoresFailure: boolean;
  readonly isReinvoked: boolean;
  /** Compiled when the policy is first used. */
  readonly rules: CompiledMutations;
}

export function compileMutatingPolicy(definition: MutatingAdmissionPolicy): CompiledMutatingPolicy {
  const { spec } = definition;
  let rules: CompiledMutations | undefined;
  return {
    definition,
    name: definition.metadata.name ?? '',
    match: spec?.matchConstraints && compileMatch(spec.matchConstraints),
    ignoresFailure: spec?.failurePolicy === 'Ignore',
    isReinvoked: spec?.reinvocationPolicy === 'IfNeeded',
    get rules() {
      return (rules ??= compileMutations(definition));
    },
  };
}

function compileMutations({ spec }: MutatingAdmissionPolicy): CompiledMutations {
  const hasParams = spec?.paramKind !== undefined;
  const environmentFor = (variables: CelType) => admissionEnvironment({ hasParams, hasAuthorizer: true, variables });
  const variables = composeVariables(spec?.variables ?? [], environmentFor);
  const environment = environmentFor(variables.type);
  return {
    variables,
    conditions: (spec?.matchConditions ?? []).map(({ expression }) =>
      compileExpression(environment, expression, [boolType]),
    ),
    mutations: (spec?.mutations ?? []).map((mutation) => compileMutation(mutation, hasParams, variables.type)),
  };
}

function compileMutation(mutation: Mutation, hasParams: boolean, variables: CelType): CompiledMutation {
  const isPatch = mutation.patchType === 'JSONPatch';
  const expression = (isPatch ? mutation.jsonPatch?.expression : mutation.applyConfiguration?.expression) ?? '';
  const environment = admissionEnvironment({
    hasParams,
    hasAuthorizer: true,
    variables,
    types: patchTypes(expression),
    makeStruct: (typeName, fields) => new BuiltObject(typeName, fields),
  });
  return {
    patchType: isPatch ? 'JSONPatch' : 'ApplyConfiguration',
    expression: compileExpression(environment, expression, isPatch ? patchList : appliedObject),
  };
}

/** A binding, prepared. */
export interface CompiledMutatingBinding {
  readonly name: string;
  readonly match: CompiledMatch | undefined;
  readonly paramRef: ParamRef | undefined;
}

export function compileMutatingBinding({ metadata, spec }: MutatingAdmissionPolicyBinding): CompiledMutatingBinding {
  return {
    name: metadata.name ?? '',
    match: spec?.matchResources && compileMatch(spec.matchResources),
    paramRef: spec?.paramRef,
  };
}
