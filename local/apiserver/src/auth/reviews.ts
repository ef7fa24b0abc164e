import {
  badRequestError,
  type Clock,
  formatTime,
  type KubeObject,
  type FieldError,
  invalid,
  invalidObjectError,
  forbidden as forbiddenField,
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
import { bodyManagers, type BodyKind } from '../rest/subresources/typed-body.ts';
import type { ApiResponse, UserInfo } from '../rest/api-request.ts';
import type { RequestContext } from '../rest/request-context.ts';
import { readTypedBody } from '../rest/subresources/typed-body.ts';
import type { AuthorizationAttributes, Authorizer } from './authorizer.ts';
import type { RbacAuthorizer } from './rbac-authorizer.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';
import { tokenIssuer } from './service-account-tokens.ts';
import type { TokenFile } from './token-file.ts';

export interface ReviewParts {
  readonly clock: Clock;
  readonly authorizer: RbacAuthorizer;
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
    [
      'selfsubjectrulesreviews.authorization.k8s.io',
      async (context) => selfSubjectRulesReview(parts.authorizer, context),
    ],
  ];
  return new Map(
    reviews.map(([name, review]) => [
      name,
      async (context: RequestContext): Promise<ApiResponse> => ({
        code: 201,
        type: 'object',
        media: 'json',
        object: await review(context),
      }),
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
  };
}

function decide(authorizer: Authorizer, attributes: AuthorizationAttributes): object {
  const { allowed, reason } = authorizer.authorize(attributes);
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function checkAttributes(kind: string, spec: Attributes): void {
  const errors: FieldError[] = [];
  if (spec.resourceAttributes && spec.nonResourceAttributes) {
    errors.push(
      invalid(
        'spec.nonResourceAttributes',
        spec.nonResourceAttributes,
        'cannot be specified in combination with resourceAttributes',
      ),
    );
  }
  if (!spec.resourceAttributes && !spec.nonResourceAttributes) {
    errors.push(
      invalid(
        'spec.resourceAttributes',
        spec.nonResourceAttributes ?? null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
  }
  if (errors.length > 0) throw invalidObjectError('authorization.k8s.io', kind, '', errors);
}

function selfSubjectAccessReview({ authorizer, clock }: ReviewParts, context: RequestContext): object {
  const kind = { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview' };
  const review = recorded(clock, context, kind, readTypedBody<SelfSubjectAccessReview>(context, kind));
  checkAttributes(kind.kind, review.spec);
  return { ...review, status: decide(authorizer, toAttributes(context.user, review.spec)) };
}

function checkSubject(kind: string, spec: SubjectAccessReview['spec']): void {
  if (!spec.user && !spec.groups?.length) {
    throw invalidObjectError('authorization.k8s.io', kind, '', [
      invalid('spec.user', spec.user ?? '', 'at least one of user or group must be specified'),
    ]);
  }
}

function subjectAccessReview({ authorizer, clock }: ReviewParts, context: RequestContext): object {
  const kind = { group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview' };
  const review = recorded(clock, context, kind, readTypedBody<SubjectAccessReview>(context, kind));
  checkAttributes(kind.kind, review.spec);
  checkSubject(kind.kind, review.spec);
  return { ...review, status: decide(authorizer, toAttributes(userOf(review.spec), review.spec)) };
}

function localSubjectAccessReview({ authorizer, clock }: ReviewParts, context: RequestContext): object {
  const kind = { group: 'authorization.k8s.io', version: 'v1', kind: 'LocalSubjectAccessReview' };
  const review = recorded(clock, context, kind, readTypedBody<LocalSubjectAccessReview>(context, kind));
  checkAttributes(kind.kind, review.spec);
  checkSubject(kind.kind, review.spec);
  const { namespace } = context.info;
  if (review.spec.nonResourceAttributes) {
    throw invalidObjectError('authorization.k8s.io', kind.kind, '', [
      forbiddenField('spec.nonResourceAttributes', 'disallowed on this kind of request'),
    ]);
  }
  if (review.spec.resourceAttributes?.namespace !== namespace) {
    throw invalidObjectError('authorization.k8s.io', kind.kind, '', [
      invalid(
        'spec.resourceAttributes.namespace',
        review.spec.resourceAttributes?.namespace ?? '',
        'must match metadata.namespace',
      ),
    ]);
  }
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

function selfSubjectRulesReview(authorizer: RbacAuthorizer, context: RequestContext): object {
  const review = readTypedBody<SelfSubjectRulesReview>(context, {
    group: 'authorization.k8s.io',
    version: 'v1',
    kind: 'SelfSubjectRulesReview',
  });
  const namespace = review.spec.namespace ?? '';
  if (namespace === '') throw badRequestError('no namespace on request');
  const errors: string[] = [];
  const rules = [...authorizer.grants(context.user, namespace, errors)].map(({ rule }) => rule);
  return {
    ...review,
    spec: {},
    status: {
      resourceRules: rules.filter(({ resources }) => resources?.length).map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: errors.length > 0,
      ...(errors.length > 0 ? { evaluationError: errors.join(', ') } : {}),
    },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  return { verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) };
}
