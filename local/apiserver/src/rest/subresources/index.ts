import type { Random } from '@tektite/meta';
import type { Dial } from '../../admission/webhook/dial.ts';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { ServiceAccountTokens } from '../../auth/service-account-tokens.ts';
import type { KubeletClient } from '../../kubelet/kubelet-client.ts';
import type { Resource } from '../../registry/resource.ts';
import type { ResourceTable } from '../../registry/resource-table.ts';
import type { RestParts, SubresourceHandler } from '../resource-handler.ts';
import { bindingHandler } from './binding.ts';
import { evictionHandler } from './eviction.ts';
import { connectHandler, logHandler, type NodeConnectors } from './pod-node.ts';
import { nodeProxyHandler, proxyHandler } from './proxy.ts';
import { tokenHandler } from './token.ts';
import { scaleHandler } from './scale.ts';

/** Subresources that are more than a view of their object, by `resource.group/subresource` or `any/subresource`. */
export function subresourceHandlers(
  parts: RestParts,
  resources: ResourceTable,
  tokens: ServiceAccountTokens,
  nodes: NodeConnectors,
  authorizer: Authorizer,
  random: Random,
  dial?: Dial,
  kubelets?: KubeletClient,
): ReadonlyMap<string, SubresourceHandler> {
  const pods = () => resources.find('', 'v1', 'pods') as Resource;
  return new Map([
    ['any/scale', scaleHandler(parts)],
    ['pods./binding', bindingHandler(parts, pods)],
    ['bindings./', bindingHandler(parts, pods)],
    ['pods./eviction', evictionHandler(parts, resources)],
    ['serviceaccounts./token', tokenHandler(parts, tokens)],
    ['pods./log', logHandler(parts, nodes, kubelets)],
    ['pods./proxy', proxyHandler(parts, random, dial)],
    ['services./proxy', proxyHandler(parts, random, dial)],
    ['nodes./proxy', nodeProxyHandler(parts, nodes, kubelets)],
    ...['attach', 'exec', 'portforward'].map(
      (name) => [`pods./${name}`, connectHandler(parts, nodes, authorizer, kubelets)] as const,
    ),
  ]);
}
