import { equalJson, quoteGo } from '@tektite/meta';
import type { Node } from '@tektite/schema/kubernetes';
import { type AdmissionRequest, admissionForbidden } from '../../admission.ts';
import { forbiddenLabels } from './node-labels.ts';

/** A node changes its own Node alone, and nothing there that decides which Pods come to it. */
export function admitNode(node: string, request: AdmissionRequest): void {
  const deny = (reason: string) => admissionForbidden(request, reason);
  const name = request.name || (request.object?.metadata.name ?? '');
  if (name !== node) throw deny(`node ${quoteGo(node)} is not allowed to modify node ${quoteGo(name)}`);
  const wanted = request.object as unknown as Node;
  if (request.operation === 'CREATE') {
    if (wanted.spec?.configSource)
      throw deny(`node ${quoteGo(node)} is not allowed to create pods with a non-nil configSource`);
    const labels = forbiddenLabels({}, wanted.metadata.labels);
    if (labels.length > 0)
      throw deny(`node ${quoteGo(node)} is not allowed to set the following labels: ${labels.join(', ')}`);
  }
  if (request.operation === 'UPDATE') checkUpdate(node, request.oldObject as unknown as Node, wanted, deny);
}

function checkUpdate(node: string, old: Node, wanted: Node, deny: (reason: string) => Error): void {
  // An old kubelet may drop the field.
  if (wanted.spec?.configSource && !equalJson(wanted.spec.configSource, old.spec?.configSource))
    throw deny(`node ${quoteGo(node)} is not allowed to update configSource to a new non-nil configSource`);
  if (!equalJson(wanted.spec?.taints ?? [], old.spec?.taints ?? []))
    throw deny(`node ${quoteGo(node)} is not allowed to modify taints`);
  if (!equalJson(wanted.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? []))
    throw deny(`node ${quoteGo(node)} is not allowed to modify ownerReferences`);
  const labels = forbiddenLabels(old.metadata.labels, wanted.metadata.labels);
  if (labels.length > 0) throw deny(`is not allowed to modify labels: ${labels.join(', ')}`);
}
