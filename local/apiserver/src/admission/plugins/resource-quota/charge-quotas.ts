import type { ResourceQuota, ScopedResourceSelectorRequirement } from '@tektite/schema/kubernetes';
import { type AdmissionRequest, admissionForbidden } from '../../admission.ts';
import {
  type Amounts,
  addAmounts,
  equalAmounts,
  formatAmounts,
  growth,
  onlyNamed,
  parseAmounts,
  withoutZeros,
} from './amounts.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

/** A quota and what will be used of it once the request is through. */
export interface Charge {
  readonly quota: ResourceQuota;
  readonly used: Amounts;
}

/**
 * The charges of a request to each quota; quotas without a charge are not in the result. Throws the denial when a quota
 * is exceeded, or its usage is not known yet.
 */
export function chargeQuotas(
  quotas: readonly ResourceQuota[],
  request: AdmissionRequest,
  evaluator: QuotaEvaluator,
): Charge[] {
  const object = request.object as NonNullable<AdmissionRequest['object']>;
  const pertinent = quotas.filter((quota) => applies(quota, object, evaluator));
  for (const quota of pertinent) checkReady(quota, request, evaluator);
  if (pertinent.length === 0) return [];
  const usage = evaluator.usage(object);
  const negative = [...usage].filter(([, quantity]) => quantity.sign < 0).map(([name]) => name);
  if (negative.length > 0)
    throw admissionForbidden(request, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  return pertinent.flatMap((quota) => {
    const charged = withoutZeros(costOf(quota, request, usage, evaluator));
    return charged.size === 0 ? [] : charge(quota, request, charged);
  });
}

type ScopeObject = Parameters<QuotaEvaluator['usage']>[0];

/** A quota is about an object when it limits something that the object is, and the object is in all of its scopes. */
function applies(quota: ResourceQuota, object: ScopeObject, evaluator: QuotaEvaluator): boolean {
  return (
    resourcesOf(quota, evaluator).length > 0 &&
    scopesOf(quota).every((scope) => evaluator.inScope?.(object, scope) ?? false)
  );
}

function resourcesOf({ status }: ResourceQuota, evaluator: QuotaEvaluator): string[] {
  return Object.keys(status?.hard ?? {}).filter((name) => evaluator.counts(name));
}

function scopesOf({ spec }: ResourceQuota): ScopedResourceSelectorRequirement[] {
  return [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
}

function checkReady(quota: ResourceQuota, request: AdmissionRequest, evaluator: QuotaEvaluator): void {
  const { name = '' } = quota.metadata;
  const resources = resourcesOf(quota, evaluator);
  const missing = evaluator.constraint?.(request.object as ScopeObject, resources);
  if (missing !== undefined) throw admissionForbidden(request, `failed quota: ${name}: ${missing}`);
  if (resources.some((resource) => quota.status?.used?.[resource] === undefined))
    throw admissionForbidden(request, `status unknown for quota: ${name}, resources: ${resources.sort().join(',')}`);
}

/** An update costs what it adds, unless the quota was not about the object before. */
function costOf(
  quota: ResourceQuota,
  { operation, oldObject }: AdmissionRequest,
  usage: Amounts,
  evaluator: QuotaEvaluator,
): Amounts {
  if (operation !== 'UPDATE' || !oldObject || !applies(quota, oldObject, evaluator)) return usage;
  return growth(usage, evaluator.usage(oldObject));
}

function charge(quota: ResourceQuota, request: AdmissionRequest, cost: Amounts): Charge[] {
  const hard = parseAmounts(quota.status?.hard);
  const used = parseAmounts(quota.status?.used);
  const requested = onlyNamed(cost, new Set(hard.keys()));
  const total = addAmounts(used, requested);
  const exceeded = new Set(
    [...requested.keys()].filter((name) => {
      const limit = hard.get(name);
      return limit !== undefined && (total.get(name)?.compare(limit) ?? 0) > 0;
    }),
  );
  if (exceeded.size > 0 && request.subresource !== 'status') {
    const show = (amounts: Amounts) => formatAmounts(onlyNamed(amounts, exceeded));
    throw admissionForbidden(
      request,
      `exceeded quota: ${quota.metadata.name}, requested: ${show(requested)}, used: ${show(used)}, limited: ${show(hard)}`,
    );
  }
  return equalAmounts(total, used) ? [] : [{ quota, used: total }];
}
