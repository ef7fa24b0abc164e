import {
  badRequestError,
  conflictError,
  type FieldError,
  formatFieldErrors,
  formatTime,
  notSupported,
  required,
  type Status,
  StatusError,
} from '@tektite/meta';
import type { Binding, Pod, PodCondition } from '@tektite/schema/kubernetes';
import { errorTarget, type Draft, type Resource } from '../../registry/resource.ts';
import { parseWriteOptions } from '../../request/options.ts';
import type { RequestContext } from '../request-context.ts';
import { type RestParts, type SubresourceHandler, writeContext } from '../resource-handler.ts';
import { reviewAction } from './review-action.ts';
import { readTypedBody } from './typed-body.ts';

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };

/** The answer to actions that have no object to show. */
export const created: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/**
 * `POST pods/NAME/binding`: assigns a Pod to a node, which is what a scheduler does. `pods` is the resource that the
 * older path, `POST bindings`, also works on.
 */
export function bindingHandler(parts: RestParts, pods: () => Resource): SubresourceHandler {
  return async (context, requested) => {
    const options = parseWriteOptions(context.request.query, 'CreateOptions');
    const body = readTypedBody<Binding>(context, bindingKind);
    const name = context.info.subresource === 'binding' ? context.info.name : (body.metadata.name ?? '');
    const { dryRun, wire } = options;
    const action = { resource: requested, kind: bindingKind, name, body, dryRun, options: wire };
    const binding = await reviewAction(parts, context, action);
    if (binding.metadata.name !== name) throw badRequestError('name in URL does not match name in Binding object');
    const violations = validateBinding(binding);
    if (violations.length > 0) throw new StatusError({ code: 500, message: formatFieldErrors(violations) });
    const resource = pods();
    await parts.objects.update(
      resource,
      {
        namespace: context.info.namespace,
        name,
        subresource: 'binding',
        ownManagedFields: true,
        reviewed: true,
        change: (old) => assign(resource, old as Pod, binding, formatTime(parts.clock.now())),
      },
      writeContext(context as RequestContext, options),
    );
    return { code: 201, type: 'object', media: 'json', object: created };
  };
}

function validateBinding({ target }: Binding): FieldError[] {
  const errors: FieldError[] = [];
  if (target?.kind !== undefined && target.kind !== '' && target.kind !== 'Node')
    errors.push(notSupported('target.kind', target.kind, ['Node', '<empty>']));
  if (!target?.name) errors.push(required('target.name'));
  return errors;
}

function assign(resource: Resource, pod: Pod, binding: Binding, now: string): Draft {
  const { name = '', deletionTimestamp } = pod.metadata;
  const refuse = (reason: string) =>
    conflictError({ ...errorTarget(resource), resource: 'pods/binding' }, name, reason);
  if (deletionTimestamp !== undefined) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if ((pod.spec?.schedulingGates?.length ?? 0) > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const draft = { ...pod, metadata: { ...pod.metadata } } as Draft;
  const { labels, annotations } = binding.metadata;
  if (labels) draft.metadata.labels = { ...draft.metadata.labels, ...labels };
  if (annotations) draft.metadata.annotations = { ...draft.metadata.annotations, ...annotations };
  draft.spec = { ...pod.spec, nodeName: binding.target.name };
  const scheduled: Partial<PodCondition> = { type: 'PodScheduled', status: 'True', lastTransitionTime: now };
  const conditions = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  draft.status = { ...pod.status, conditions: [...conditions, scheduled] };
  return draft;
}
