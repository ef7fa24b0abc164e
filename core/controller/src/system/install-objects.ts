import { type Client, keyOf } from '@tektite/client';
import { isStatusError, type KubeObject } from '@tektite/meta';

/**
 * Creates the objects that do not exist. Existing ones stay as they are: settings are the administrator's, and an upgrade of a
 * system must not undo them.
 *
 * Returns the objects that no webhook could be asked about. That webhook may be one that this process, or a Pod that waits for
 * it, serves later: such objects are installed again then, and the start goes on without them.
 */
export async function installObjects(client: Client, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const pending: KubeObject[] = [];
  for (const object of objects) {
    try {
      // A create is reviewed even when the object exists, so a restart must not send one.
      if (!(await exists(client, object))) await client.create(object);
    } catch (error) {
      if (isWebhookUnavailable(error)) pending.push(object);
      else if (!isStatusError(error, 'AlreadyExists')) throw wrap(error, object);
    }
  }
  return pending;
}

/** An account that may only create objects finds out by that. */
async function exists(client: Client, object: KubeObject): Promise<boolean> {
  try {
    await client.get(object, keyOf(object));
    return true;
  } catch (error) {
    if (isStatusError(error, 'NotFound') || isStatusError(error, 'Forbidden')) return false;
    throw error;
  }
}

/** Upstream's words for a webhook that could not be called; one that denied the object reads differently. */
function isWebhookUnavailable(error: unknown): boolean {
  return isStatusError(error, 'InternalError') && error.message.includes('failed calling webhook');
}

function wrap(error: unknown, object: KubeObject): Error {
  const { name } = keyOf(object);
  return new Error(`${object.kind} ${name} could not be created: ${(error as Error).message}`, { cause: error });
}
