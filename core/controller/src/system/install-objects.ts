import { type Client, keyOf } from '@tektite/client';
import { isStatusError, type KubeObject } from '@tektite/meta';

/**
 * Creates the objects that are not there. What is there stays as it is: settings are the administrator's, and an upgrade
 * of a system must not undo them.
 */
export async function installObjects(client: Client, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    try {
      await client.create(object);
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw wrap(error, object);
    }
  }
}

function wrap(error: unknown, object: KubeObject): Error {
  const { name } = keyOf(object);
  return new Error(`${object.kind} ${name} could not be created: ${(error as Error).message}`, { cause: error });
}
