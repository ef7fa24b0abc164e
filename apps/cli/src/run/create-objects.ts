import { type Client, isClientError } from '@tektite/client';
import { isStatusError, type KubeObject } from '@tektite/meta';
import { badInput } from './bad-input.ts';
import type { PlannedObject } from './plan-run.ts';

/**
 * Creates objects in their order. A Task or Pipeline that is there already is replaced, as files are edited and run again;
 * everything else that is there stays as it is.
 */
export async function createObject(client: Client, planned: PlannedObject, namespace: string): Promise<KubeObject> {
  try {
    // The server knows which kinds are in a namespace.
    const { scope } = await client.discovery.find(planned.object);
    const { metadata } = planned.object;
    const inPlace = scope === 'Cluster' || metadata.namespace ? metadata : { ...metadata, namespace };
    return await createOrApply(client, { ...planned.object, metadata: inPlace }, planned.runs);
  } catch (error) {
    if (!isStatusError(error) && !isClientError(error, 'UNKNOWN_KIND')) throw error;
    throw badInput(`${planned.place}: ${error.message}`);
  }
}

async function createOrApply(client: Client, object: KubeObject, runs: boolean): Promise<KubeObject> {
  if (runs || !object.metadata.name) return await client.create(object);
  return await client.apply(object, { fieldManager: 'tektite-run', force: true });
}
