import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  validateQualifiedName,
  required,
  tooMany,
} from '@tektite/meta';
import { boolType, type CelType, dynType, listType, nullType, stringType, structType } from '@tektite/schema';
import type { MatchCondition, Variable } from '@tektite/schema/kubernetes';
import { admissionEnvironment, compileExpression } from './admission-environment.ts';
import { checkText } from '../field-checks.ts';

const maxConditions = 64;

/** Which types the value of an expression may have; none means any. */
export type ResultTypes = readonly CelType[];

export const yesOrNo: ResultTypes = [boolType];
export const text: ResultTypes = [stringType];
export const textOrNothing: ResultTypes = [stringType, nullType];

/** The variables and libraries of an expression, and the variables of its policy. */
export interface ExpressionScope {
  readonly params?: boolean;
  readonly authorizer?: boolean;
  readonly variables?: ReadonlyMap<string, CelType>;
  readonly types?: readonly CelType[];
}

/** Compiles an expression; says what is wrong, or which type its value has. */
export function checkExpression(
  expression: string,
  { params = false, authorizer = false, variables, types = [] }: ExpressionScope,
  allowed: ResultTypes,
  path: FieldPath,
  errors: FieldError[],
  shown: string = expression,
): CelType | undefined {
  const environment = admissionEnvironment({
    hasParams: params,
    hasAuthorizer: authorizer,
    types,
    ...(variables ? { variables: structType('kubernetes.variables', variables) } : {}),
  });
  const { type, error } = compileExpression(environment, expression, allowed);
  if (error !== undefined) errors.push(invalid(path, shown, error));
  return type;
}

/** Conditions that a request must meet before a webhook or a policy is evaluated. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  params: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const list = conditions ?? [];
  if (list.length > maxConditions) errors.push(tooMany(path, list.length, maxConditions));
  const names = new Set<string>();
  for (const [i, { name = '', expression = '' }] of list.entries()) {
    const at = path.index(i);
    const trimmed = expression.trim();
    if (trimmed === '') errors.push(required(at.child('expression')));
    else checkExpression(trimmed, { params, authorizer: true }, yesOrNo, at.child('expression'), errors);
    if (name === '') errors.push(required(at.child('name')));
    else checkText(name, validateQualifiedName, at.child('name'), errors);
    if (name !== '' && names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
  }
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** Checks the variables of a policy one after the other, and returns their types: each may use those before it. */
export function validateVariables(
  variables: readonly Variable[],
  params: boolean,
  path: FieldPath,
  errors: FieldError[],
): Map<string, CelType> {
  const types = new Map<string, CelType>();
  for (const [i, { name = '', expression = '' }] of variables.entries()) {
    const at = path.index(i);
    if (name.trim() === '') errors.push(required(at.child('name'), 'name is not specified'));
    else if (!identifier.test(name) || reserved.has(name))
      errors.push(invalid(at.child('name'), name, 'must be a valid CEL identifier'));
    if (expression.trim() === '') errors.push(required(at.child('expression'), 'expression is not specified'));
    else {
      const scope = { params, authorizer: true, variables: types };
      types.set(name, plain(checkExpression(expression, scope, [], at.child('expression'), errors)));
    }
  }
  return types;
}

/** The type as variables have it: structs and the like are known as anything. */
function plain(type: CelType | undefined): CelType {
  if (!type) return dynType;
  if (type.kind === 'list' || type.kind === 'map') return { ...type, params: type.params.map(plain) };
  return type.kind === 'struct' || type.kind === 'opaque' || type.kind === 'type' ? dynType : type;
}

/** Fields of objects whose schema is not known: every name is one. */
class AnyFields extends Map<string, CelType> {
  override get(): CelType {
    return dynType;
  }
  override has(): boolean {
    return true;
  }
}

const patchType = structType(
  'JSONPatch',
  new Map([
    ['op', stringType],
    ['path', stringType],
    ['from', stringType],
    ['value', dynType],
  ]),
);

/** Types that the expression of a mutation builds: `JSONPatch`, and `Object.spec` and the like. */
export function patchTypes(expression: string): CelType[] {
  const names = new Set(['Object', ...(expression.match(/\bObject(?:\.[A-Za-z_]\w*)*/g) ?? [])]);
  return [patchType, ...[...names].map((name) => structType(name, new AnyFields()))];
}

export const appliedObject: ResultTypes = [structType('Object', new AnyFields())];
export const patchList: ResultTypes = [listType(patchType)];
