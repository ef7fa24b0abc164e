import {
  badRequestError,
  type Clock,
  formatTime,
  type KubeObject,
  type FieldError,
  type FieldRequirement,
  invalid,
  invalidObjectError,
  parseFieldSelector,
  required,
} from '@tektite/meta';
import type {
  LocalSubjectAccessReview,
  PolicyRule,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenReview,
} from '@tektite/schema/kubernetes';
import { bodyManagers, type BodyKind } from './typed-body.ts';
import type { UserInfo } from '../../request/api-request.ts';
import type { ApiResponse } from '../../request/api-response.ts';
import { negotiateMedia } from '../../request/negotiate.ts';
import type { RequestContext } from '../request-context.ts';
import { readTypedBody } from './typed-body.ts';
import type { AuthorizationAttributes, Authorizer } from '../../auth/authorizer.ts';
import { nodeNameOf } from '../../auth/node/node-identity.ts';
import { formatAggregate, type RbacAuthorizer } from '../../auth/rbac-authorizer.ts';
import type { ServiceAccountTokens } from '../../auth/service-account-tokens.ts';
import { tokenIssuer } from '../../auth/service-account-tokens.ts';
import type { TokenFile } from '../../auth/token-file.ts';

export interface ReviewParts {
  readonly clock: Clock;
  readonly authorizer: Authorizer;
  /** Lists the rules of a user. */
  readonly rbac: RbacAuthorizer;
  readonly tokens: ServiceAccountTokens;
  readonly tokenFiles: readonly TokenFile[];
}

type ReviewHandler = (context: RequestContext) => Promise<object>;

/** Questions that are asked by creating an object and answered in its status; nothing is stored. Keyed by resource. */
export function reviewHandlers(
  parts: ReviewParts,
): ReadonlyMap<string, (context: RequestContext) => Promise<ApiResponse>> {
  const reviews: [string, ReviewHandler][] = [
    ['selfsubjectreviews.authentication.k8s.io', async (context) => selfSubjectReview(parts.clock, context)],
    ['tokenreviews.authentication.k8s.io', (context) => tokenReview(parts, context)],
    ['selfsubjectaccessreviews.authorization.k8s.io', async (context) => selfSubjectAccessReview(parts, context)],
    ['subjectaccessreviews.authorization.k8s.io', async (context) => subjectAccessReview(parts, context)],
    ['localsubjectaccessreviews.authorization.k8s.io', async (context) => localSubjectAccessReview(parts, context)],
    ['selfsubjectrulesreviews.authorization.k8s.io', async (context) => selfSubjectRulesReview(parts.rbac, context)],
  ];
  return new Map(
    reviews.map(([name, review]) => [
      name,
      async (context: RequestContext): Promise<ApiResponse> => {
        const media = negotiateMedia(context.request.headers.accept);
        return { code: 201, type: 'object', media, object: await review(context) };
      },
    ]),
  );
}

/** Most reviews record who set their fields, as every created object does. */
function recorded<T extends KubeObject>(clock: Clock, context: RequestContext, kind: BodyKind, review: T): T {
  const managedFields = bodyManagers(context, kind, review, formatTime(clock.now()));
  return managedFields ? { ...review, metadata: { ...review.metadata, managedFields } } : review;
}

function selfSubjectReview(clock: Clock, context: RequestContext): object {
  const review = readTypedBody<SelfSubjectReview>(context, {
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'SelfSubjectReview',
  });
  const metadata = { ...review.metadata, creationTimestamp: formatTime(clock.now()) };
  return { ...review, metadata, status: { userInfo: wireUser(context.user) } };
}

function wireUser({ name, uid, groups, extra }: UserInfo): object {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra ? { extra } : {}),
  };
}

async function tokenReview({ tokens, tokenFiles, clock }: ReviewParts, context: RequestContext): Promise<object> {
  const kind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview' };
  const review = recorded(clock, context, kind, readTypedBody<TokenReview>(context, kind));
  const { token = '', audiences } = review.spec;
  if (token === '') throw badRequestError('token is required for TokenReview in authentication');
  for (const file of tokenFiles) {
    const user = file.userOf(token);
    // A token file knows the audience of the server alone.
    if (user && audiences?.length && !audiences.includes(tokenIssuer)) return { ...review, status: { user: {} } };
    if (user)
      return {
        ...review,
        status: {
          authenticated: true,
          user: wireUser({ ...user, groups: [...user.groups, 'system:authenticated'] }),
          audiences: audiences ?? [tokenIssuer],
        },
      };
  }
  const verified = await tokens.verify(token, audiences?.length ? audiences : [tokenIssuer]);
  if (!verified) return { ...review, status: { user: {}, error: await tokens.explain(token, audiences ?? []) } };
  const user = { ...verified.user, groups: [...verified.user.groups, 'system:authenticated'] };
  return { ...review, status: { authenticated: true, user: wireUser(user), audiences: verified.audiences } };
}

type Attributes = Pick<SelfSubjectAccessReview['spec'], 'resourceAttributes' | 'nonResourceAttributes'>;

function toAttributes(
  user: UserInfo,
  { resourceAttributes, nonResourceAttributes }: Attributes,
): AuthorizationAttributes {
  const {
    verb = '',
    group = '',
    version = '*',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = resourceAttributes ?? {};
  const plain = nonResourceAttributes;
  return {
    user,
    verb: plain ? (plain.verb ?? '') : verb,
    isResourceRequest: plain === undefined,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    path: plain?.path ?? '',
    ...(resourceAttributes?.fieldSelector ? { fieldSelector: requirementsOf(resourceAttributes.fieldSelector) } : {}),
  };
}

type ReviewedSelector = NonNullable<NonNullable<Attributes['resourceAttributes']>['fieldSelector']>;

/** The requirements of equality; others can only narrow a request, so leaving them out grants nothing. */
function requirementsOf({ rawSelector, requirements }: ReviewedSelector): readonly FieldRequirement[] {
  if (rawSelector) {
    try {
      return parseFieldSelector(rawSelector).requirements;
    } catch {
      return [];
    }
  }
  return (requirements ?? []).flatMap(({ key, operator, values = [] }) =>
    operator === 'In' && values?.length === 1
      ? [{ field: key, operator: '=' as const, value: values[0] as string }]
      : [],
  );
}

function decide(authorizer: Authorizer, attributes: AuthorizationAttributes): object {
  const { allowed, reason } = authorizer.authorize(attributes);
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

/** Rejects an invalid review; upstream forgets to set its kind. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObjectError('authorization.k8s.io', '', '', errors);
}

function checkAttributes({ resourceAttributes, nonResourceAttributes }: Attributes): FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    const why = 'cannot be specified in combination with resourceAttributes';
    return [invalid('spec.nonResourceAttributes', innerForm(nonResourceAttributes), why)];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', null, why)];
}

/** As Go prints the struct that holds it inside. */
function innerForm({ path = '', verb = '' }: NonNullable<Attributes['nonResourceAttributes']>): object {
  return { Path: path, Verb: verb };
}

function checkSelectors({ resourceAttributes }: Attributes): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['fieldSelector', 'labelSelector'] as const) {
    const selector = resourceAttributes?.[field];
    if (!selector) continue;
    const path = `spec.resourceAttributes.${field}`;
    const { rawSelector = '', requirements = [] } = selector;
    if (rawSelector !== '' && requirements.length > 0)
      errors.push(invalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
    if (rawSelector === '' && requirements.length === 0)
      errors.push(
        required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`),
      );
  }
  return errors;
}

function selfSubjectAccessReview({ authorizer, clock }: ReviewParts, context: RequestContext): object {
  const kind = { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview' };
  const review = recorded(clock, context, kind, readTypedBody<SelfSubjectAccessReview>(context, kind));
  refuse([...checkAttributes(review.spec), ...checkSelectors(review.spec)]);
  return { ...review, status: decide(authorizer, toAttributes(context.user, review.spec)) };
}

function checkSubject(spec: SubjectAccessReview['spec']): FieldError[] {
  if (spec.user || spec.groups?.length) return [];
  return [invalid('spec.user', '', 'at least one of user or group must be specified')];
}

function subjectAccessReview({ authorizer, clock }: ReviewParts, context: RequestContext): object {
  const kind = { group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview' };
  const review = recorded(clock, context, kind, readTypedBody<SubjectAccessReview>(context, kind));
  refuse([...checkAttributes(review.spec), ...checkSubject(review.spec), ...checkSelectors(review.spec)]);
  return { ...review, status: decide(authorizer, toAttributes(userOf(review.spec), review.spec)) };
}

function localSubjectAccessReview({ authorizer, clock }: ReviewParts, context: RequestContext): object {
  const kind = { group: 'authorization.k8s.io', version: 'v1', kind: 'LocalSubjectAccessReview' };
  const review = recorded(clock, context, kind, readTypedBody<LocalSubjectAccessReview>(context, kind));
  const { namespace } = context.info;
  const { resourceAttributes, nonResourceAttributes } = review.spec;
  const errors = [...checkAttributes(review.spec), ...checkSubject(review.spec), ...checkSelectors(review.spec)];
  const asked = resourceAttributes?.namespace ?? '';
  if (resourceAttributes && asked !== namespace)
    errors.push(invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  if (nonResourceAttributes) {
    const why = 'disallowed on this kind of request';
    errors.push(invalid('spec.nonResourceAttributes', innerForm(nonResourceAttributes), why));
  }
  refuse(errors);
  return {
    ...review,
    metadata: { ...review.metadata, namespace },
    status: decide(authorizer, toAttributes(userOf(review.spec), review.spec)),
  };
}

function userOf({ user, uid, groups, extra }: SubjectAccessReview['spec']): UserInfo {
  return {
    name: user ?? '',
    ...(uid ? { uid } : {}),
    groups: groups ?? [],
    ...(extra ? { extra: extra as NonNullable<UserInfo['extra']> } : {}),
  };
}

function selfSubjectRulesReview(rbac: RbacAuthorizer, context: RequestContext): object {
  const review = readTypedBody<SelfSubjectRulesReview>(context, {
    group: 'authorization.k8s.io',
    version: 'v1',
    kind: 'SelfSubjectRulesReview',
  });
  const namespace = review.spec.namespace ?? '';
  if (namespace === '') throw badRequestError('no namespace on request');
  const isNode = nodeNameOf(context.user) !== undefined;
  const errors: string[] = isNode ? ['node authorizer does not support user rule resolution'] : [];
  const rules = [...rbac.grants(context.user, namespace, errors)].map(({ rule }) => rule);
  return {
    ...review,
    spec: {},
    status: {
      resourceRules: rules.filter(({ resources }) => resources?.length).map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      // Roles that are not there are an error, but nothing is left out for it.
      incomplete: isNode,
      ...(errors.length > 0 ? { evaluationError: formatAggregate(errors) } : {}),
    },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  return { verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) };
}
