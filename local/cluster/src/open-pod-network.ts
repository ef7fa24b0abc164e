import { isRuntimeError, PodNetwork, RuntimeError } from '@tektite/node';
import type { ClusterNode } from './cluster-options.ts';
import { nodeFolders } from './node-folders.ts';

/**
 * The network of Pods, as the option says: their own (`pods`), the machine's (`host`), or their own where that works and reaches other
 * networks (`auto`). Undefined: the machine's. The caller closes it.
 */
export async function openPodNetwork(
  { network = 'host', runtime, routes = false }: ClusterNode,
  folder: string,
  onNotice: (text: string) => void,
): Promise<PodNetwork | undefined> {
  if (routes && network !== 'pods')
    throw new RuntimeError('NETWORK_UNAVAILABLE', 'routes to Pods need a network of Pods: add `--network pods`');
  if (network === 'host') return undefined;
  const canHave = runtime === 'auto' || runtime === 'images' || runtime === 'host';
  if (!canHave && network === 'auto') return undefined;
  if (!canHave)
    throw new RuntimeError(
      'NETWORK_UNAVAILABLE',
      'only Pods of the runtimes images, auto and host can have a network of their own; leave out `--network pods`',
    );
  let opened: PodNetwork | undefined;
  try {
    opened = await PodNetwork.open({ directory: nodeFolders(folder).runtime });
    if (routes) await opened.connectMachine();
    await opened.openWayOut();
    return opened;
  } catch (error) {
    if (!isRuntimeError(error)) throw error;
    if (network === 'pods' && opened && !routes) {
      onNotice(`Pods reach each other and Services only: ${error.message}`);
      return opened;
    }
    await opened?.[Symbol.asyncDispose]();
    if (network === 'pods') throw error;
    onNotice(`Pods have the network of the machine: ${error.message}`);
    return undefined;
  }
}
