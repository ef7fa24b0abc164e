import { type Client, isClientError } from '@tektite/client';
import { isStatusError, type KubeObject } from '@tektite/meta';
import { badInput } from './bad-input.ts';
import type { PlannedObject } from './plan-run.ts';
import { isRun } from './run-kinds.ts';

/**
 * Creates an object. A Task or Pipeline that is there already is replaced, as files are edited and run again;
 * everything else that is there stays as it is.
 */
export async function createObject(client: Client, planned: PlannedObject, namespace: string): Promise<KubeObject> {
  try {
    // The server knows which kinds are in a namespace.
    const { scope } = await client.discovery.find(planned.object);
    const { metadata } = planned.object;
    const inPlace = scope === 'Cluster' || metadata.namespace ? metadata : { ...metadata, namespace };
    return await createOrReplace(client, { ...planned.object, metadata: inPlace });
  } catch (error) {
    if (!isStatusError(error) && !isClientError(error, 'UNKNOWN_KIND')) throw error;
    throw badInput(`${planned.place}: ${error.message}`);
  }
}

async function createOrReplace(client: Client, object: KubeObject): Promise<KubeObject> {
  try {
    // What is misspelled would otherwise be dropped without a word.
    return await client.create(object, { fieldValidation: 'Strict' });
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists') || isRun(object)) throw error;
    const { namespace, name = '' } = object.metadata;
    const there = await client.get(object, { ...(namespace ? { namespace } : {}), name });
    if (!object.apiVersion.startsWith('tekton.dev/')) return there;
    const { resourceVersion = '' } = there.metadata;
    const replacement = { ...object, metadata: { ...object.metadata, resourceVersion } };
    return await client.update(object, replacement, { fieldValidation: 'Strict' });
  }
}
