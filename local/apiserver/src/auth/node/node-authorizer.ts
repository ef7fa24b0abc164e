import { quoteGo } from '@tektite/meta';
import type { Storage } from '../../storage/storage.ts';
import type { AuthorizationAttributes, Authorizer, Decision } from '../authorizer.ts';
import { ruleAllows } from '../rbac-rules.ts';
import { NodeGraph, type RelatedKind } from './node-graph.ts';
import { nodeNameOf } from './node-identity.ts';
import { nodeRules } from './node-rules.ts';

const allow: Decision = { allowed: true, reason: '' };
const noOpinion: Decision = { allowed: false, reason: '' };
const deny = (reason: string): Decision => ({ allowed: false, reason });

const leaseNamespace = 'kube-node-lease';
const ownedVerbs = new Set(['get', 'create', 'update', 'patch', 'delete']);
const readVerbs = new Set(['get', 'list', 'watch']);

type Rule = (node: string, request: AuthorizationAttributes) => Decision;

/**
 * Grants nodes (`system:node:NAME` in the group `system:nodes`) the objects of their own Pods, their own Node, Lease and
 * CSINode, and the rules that all nodes have. Other users are none of its business. It has no last word: RBAC may grant more.
 */
export class NodeAuthorizer implements Authorizer {
  private readonly graph: NodeGraph;
  /** The resources that are divided among nodes, by `resource.group`. */
  private readonly rules: ReadonlyMap<string, Rule>;

  constructor(storage: Storage) {
    this.graph = new NodeGraph(storage);
    const get =
      (kind: RelatedKind): Rule =>
      (node, request) =>
        this.get(node, kind, request);
    this.rules = new Map<string, Rule>([
      ['secrets.', (node, request) => this.read(node, 'secrets', request)],
      ['configmaps.', (node, request) => this.read(node, 'configmaps', request)],
      ['persistentvolumeclaims.', (node, request) => this.claim(node, request)],
      ['persistentvolumes.', get('persistentvolumes')],
      ['resourceclaims.resource.k8s.io', get('resourceclaims')],
      ['volumeattachments.storage.k8s.io', get('volumeattachments')],
      ['serviceaccounts.', (node, request) => this.account(node, request)],
      ['leases.coordination.k8s.io', lease],
      ['csinodes.storage.k8s.io', csiNode],
      ['resourceslices.resource.k8s.io', (node, request) => this.slice(node, request)],
      ['nodes.', ownNode],
      ['pods.', (node, request) => this.pod(node, request)],
    ]);
  }

  authorize(request: AuthorizationAttributes): Decision {
    const node = nodeNameOf(request.user);
    if (node === undefined) return noOpinion;
    if (node === '') return deny(`unknown node for user ${quoteGo(request.user.name)}`);
    const rule = request.isResourceRequest && this.rules.get(`${request.resource}.${request.group}`);
    if (rule) return rule(node, request);
    return nodeRules.some((candidate) => ruleAllows(candidate, request)) ? allow : noOpinion;
  }

  private related(node: string, kind: RelatedKind, { namespace, name }: AuthorizationAttributes): Decision {
    if (name === '') return deny('No Object name found');
    return this.graph.isRelated(node, kind, namespace, name)
      ? allow
      : deny(`no relationship found between node '${node}' and this object`);
  }

  private get(node: string, kind: RelatedKind, request: AuthorizationAttributes): Decision {
    if (request.verb !== 'get') return deny('can only get individual resources of this type');
    if (request.subresource !== '') return deny('cannot get subresource');
    return this.related(node, kind, request);
  }

  /** One object is also listed and watched, by its name in a field selector. */
  private read(node: string, kind: RelatedKind, request: AuthorizationAttributes): Decision {
    if (!readVerbs.has(request.verb)) return deny('can only read resources of this type');
    if (request.subresource !== '') return deny('cannot read subresource');
    if (request.namespace === '') return deny('can only read namespaced object of this type');
    return this.related(node, kind, request);
  }

  private claim(node: string, request: AuthorizationAttributes): Decision {
    if (request.subresource !== 'status') return this.get(node, 'persistentvolumeclaims', request);
    if (request.verb !== 'update' && request.verb !== 'patch') return deny('can only get/update/patch this type');
    return this.related(node, 'persistentvolumeclaims', request);
  }

  /** A kubelet reads the accounts of its Pods, and asks for their tokens. */
  private account(node: string, request: AuthorizationAttributes): Decision {
    if (request.verb === 'get' && request.subresource === '') return this.read(node, 'serviceaccounts', request);
    return this.createToken(node, request);
  }

  private createToken(node: string, request: AuthorizationAttributes): Decision {
    if (request.verb !== 'create' || request.name === '')
      return deny('can only create tokens for individual service accounts');
    if (request.subresource !== 'token') return deny('can only create token subresource of serviceaccount');
    return this.related(node, 'serviceaccounts', request);
  }

  private slice(node: string, request: AuthorizationAttributes): Decision {
    if (request.subresource !== '') return deny('cannot authorize ResourceSlice subresources');
    switch (request.verb) {
      // NodeRestriction compares the content of a new object.
      case 'create':
        return allow;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.related(node, 'resourceslices', request);
      case 'watch':
      case 'list':
      case 'deletecollection':
        return selects(request, 'nodeName', node)
          ? allow
          : deny('can only list/watch/deletecollection resourceslices with nodeName field selector');
      default:
        return deny(
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
        );
    }
  }

  private pod(node: string, request: AuthorizationAttributes): Decision {
    const { verb, subresource, name } = request;
    // NodeRestriction limits writes to Pods of the node.
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : noOpinion;
    if (subresource === 'eviction') return verb === 'create' ? allow : noOpinion;
    if (subresource !== '') return noOpinion;
    switch (verb) {
      case 'create':
      case 'delete':
        return allow;
      case 'get':
        return this.get(node, 'pods', request);
      case 'list':
      case 'watch':
        if (selects(request, 'spec.nodeName', node)) return allow;
        if (name !== '') return this.related(node, 'pods', request);
        return deny('can only list/watch pods with spec.nodeName field selector');
      default:
        return noOpinion;
    }
  }
}

function selects({ fieldSelector }: AuthorizationAttributes, field: string, value: string): boolean {
  return fieldSelector?.some((one) => one.field === field && one.operator === '=' && one.value === value) ?? false;
}

/** The name of a new object is not known yet: NodeRestriction compares it. */
function lease(node: string, { verb, namespace, name }: AuthorizationAttributes): Decision {
  if (!ownedVerbs.has(verb)) return deny('can only get, create, update, patch, or delete a node lease');
  if (namespace !== leaseNamespace)
    return deny(`can only access leases in the ${quoteGo(leaseNamespace)} system namespace`);
  if (verb !== 'create' && name !== node)
    return deny('can only access node lease with the same name as the requesting node');
  return allow;
}

function csiNode(node: string, { verb, subresource, name }: AuthorizationAttributes): Decision {
  if (!ownedVerbs.has(verb)) return deny('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return deny('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== node)
    return deny('can only access CSINode with the same name as the requesting node');
  return allow;
}

function ownNode(node: string, { verb, subresource, name }: AuthorizationAttributes): Decision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : noOpinion;
  if (subresource !== '') return noOpinion;
  if (verb === 'create' || verb === 'update' || verb === 'patch') return allow;
  if (!readVerbs.has(verb)) return noOpinion;
  if (name === node) return allow;
  return deny(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
}
