import { validateDns1123Label, validateDns1123Subdomain } from '@tektite/meta';
import { declare, type FunctionDeclaration, method } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { boolType, type CelType, namedType, stringType } from '../language/type.ts';
import { OpaqueValue } from '../language/value.ts';

const authorizerType = namedType('kubernetes.authorization.Authorizer');
const pathCheckType = namedType('kubernetes.authorization.PathCheck');
const groupCheckType = namedType('kubernetes.authorization.GroupCheck');
const resourceCheckType = namedType('kubernetes.authorization.ResourceCheck');
const decisionType = namedType('kubernetes.authorization.Decision');

/** The types of authorization, by their names. */
export const authorizerTypes: readonly CelType[] = [
  authorizerType,
  pathCheckType,
  groupCheckType,
  resourceCheckType,
  decisionType,
];
export { authorizerType };

/** The attributes of an authorization check. */
export interface AccessQuestion {
  /** Asks for a service account instead of the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  readonly verb: string;
}

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly error?: string;
}

/** Decides; it is asked while an expression runs and must answer at once. */
export type Authorize = (question: AccessQuestion) => AccessAnswer;

class Check extends OpaqueValue {
  readonly type: CelType;
  readonly authorize: Authorize;
  readonly question: Partial<AccessQuestion>;
  constructor(type: CelType, authorize: Authorize, question: Partial<AccessQuestion>) {
    super();
    this.type = type;
    this.authorize = authorize;
    this.question = question;
  }
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
  with(type: CelType, more: Partial<AccessQuestion>): Check {
    return new Check(type, this.authorize, { ...this.question, ...more });
  }
}

class Decision extends OpaqueValue {
  readonly type: CelType = decisionType;
  readonly answer: AccessAnswer;
  constructor(answer: AccessAnswer) {
    super();
    this.answer = answer;
  }
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(authorize: Authorize): OpaqueValue {
  return new Check(authorizerType, authorize, {});
}

/** The value of the variable `authorizer.requestResource`. */
export function requestResourceValue(authorize: Authorize, question: Partial<AccessQuestion>): OpaqueValue {
  return new Check(resourceCheckType, authorize, question);
}
export const requestResourceType: CelType = resourceCheckType;

function serviceAccount(check: Check, namespace: string, name: string): Check {
  if (validateDns1123Subdomain(name).length > 0) throw new EvaluationError('Invalid service account name');
  if (validateDns1123Label(namespace).length > 0) throw new EvaluationError('Invalid service account namespace');
  return check.with(authorizerType, { serviceAccount: { namespace, name } });
}

function notEmpty(what: string, text: string): string {
  if (text === '') throw new EvaluationError(`${what} must not be empty`);
  return text;
}

const ask = (check: Check, verb: string): Decision => new Decision(check.authorize({ ...check.question, verb }));

/** A method that adds one thing to a question about a resource. */
const refine = (name: string, key: keyof AccessQuestion): FunctionDeclaration =>
  declare(
    name,
    method(`resourcecheck_${name}`, [resourceCheckType, stringType], resourceCheckType, (check: Check, text: string) =>
      check.with(resourceCheckType, { [key]: text }),
    ),
  );

/** Kubernetes' functions that ask whether something is allowed. */
export const authorizerLibrary: readonly FunctionDeclaration[] = [
  declare(
    'path',
    method('authorizer_path', [authorizerType, stringType], pathCheckType, (check: Check, path: string) =>
      check.with(pathCheckType, { path: notEmpty('path', path) }),
    ),
  ),
  declare(
    'group',
    method('authorizer_group', [authorizerType, stringType], groupCheckType, (check: Check, group: string) =>
      check.with(groupCheckType, { group }),
    ),
  ),
  declare(
    'serviceAccount',
    method('authorizer_serviceaccount', [authorizerType, stringType, stringType], authorizerType, serviceAccount),
  ),
  declare(
    'resource',
    method('groupcheck_resource', [groupCheckType, stringType], resourceCheckType, (check: Check, resource: string) =>
      check.with(resourceCheckType, { resource: notEmpty('resource', resource) }),
    ),
  ),
  refine('subresource', 'subresource'),
  refine('namespace', 'namespace'),
  refine('name', 'name'),
  refine('fieldSelector', 'fieldSelector'),
  refine('labelSelector', 'labelSelector'),
  declare(
    'check',
    method('pathcheck_check', [pathCheckType, stringType], decisionType, ask),
    method('resourcecheck_check', [resourceCheckType, stringType], decisionType, ask),
  ),
  declare(
    'errored',
    method('decision_errored', [decisionType], boolType, ({ answer }: Decision) => answer.error !== undefined),
  ),
  declare(
    'error',
    method('decision_error', [decisionType], stringType, ({ answer }: Decision) => answer.error ?? ''),
  ),
  declare(
    'allowed',
    method('decision_allowed', [decisionType], boolType, ({ answer }: Decision) => answer.allowed),
  ),
  declare(
    'reason',
    method('decision_reason', [decisionType], stringType, ({ answer }: Decision) => answer.reason ?? ''),
  ),
];
