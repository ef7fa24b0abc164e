import { badRequestError, internalServerError, labelSelectorOf, notFoundError, StatusError } from '@tektite/meta';
import type { Eviction, Pod, PodDisruptionBudget } from '@tektite/schema/kubernetes';
import { errorTarget, type Resource, storageKey } from '../../registry/resource.ts';
import { parseDeleteOptions } from '../delete-options.ts';
import { parseWriteOptions } from '../options.ts';
import type { RestParts, SubresourceHandler } from '../resource-handler.ts';
import { created } from './binding.ts';
import { reviewAction } from './review-action.ts';
import { readTypedBody } from './typed-body.ts';

const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };

/** `POST pods/NAME/eviction`: deletes a Pod unless a PodDisruptionBudget says that it is needed. */
export function evictionHandler(parts: RestParts): SubresourceHandler {
  return async (context, resource) => {
    const { info, request, user, warnings } = context;
    const { dryRun, wire } = parseWriteOptions(request.query, 'CreateOptions');
    const body = readTypedBody<Eviction>(context, evictionKind);
    if (body.metadata.name !== undefined && body.metadata.name !== info.name)
      throw badRequestError('name in URL does not match name in Eviction object');
    const action = { resource, kind: evictionKind, name: info.name, body, dryRun, options: wire };
    const eviction = await reviewAction(parts, context, action);
    const entry = parts.storage.get(storageKey(resource, info.namespace, info.name));
    if (!entry) throw notFoundError(errorTarget(resource), info.name);
    checkBudgets(parts, resource, entry.value as Pod);
    const options = parseDeleteOptions(
      new URLSearchParams(request.query.has('dryRun') ? 'dryRun=All' : ''),
      eviction.deleteOptions,
    );
    const write = {
      user,
      fieldManager: '',
      dryRun: options.dryRun,
      options: options.wire,
      warn: (text: string) => warnings.add(text),
    };
    await parts.deleter.delete(resource, info.namespace, info.name, options, write, { done: true });
    return { code: 201, type: 'object', media: 'json', object: created };
  };
}

/** Pods that run nothing any more, or not yet, may always go. */
function isExempt({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? '');
}

function checkBudgets(parts: RestParts, _resource: Resource, pod: Pod): void {
  if (isExempt(pod)) return;
  const { namespace = '', labels } = pod.metadata;
  const budgets = parts.storage
    .list(`/registry/poddisruptionbudgets/${namespace}/`)
    .entries.map(({ value }) => value as PodDisruptionBudget)
    .filter(({ spec }) => spec?.selector && labelSelectorOf(spec.selector).matches(labels));
  if (budgets.length > 1)
    throw internalServerError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const [budget] = budgets;
  if (!budget || (budget.status?.disruptionsAllowed ?? 0) > 0) return;
  const { name = '' } = budget.metadata;
  const status = budget.status;
  throw new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${name} needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`,
        },
      ],
    },
  });
}
