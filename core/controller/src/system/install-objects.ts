import { type Client, keyOf } from '@tektite/client';
import { equalJson, isStatusError, type KubeObject } from '@tektite/meta';

/**
 * Creates the objects that do not exist. Existing ones stay as they are: settings are the administrator's, and an upgrade of a
 * system must not undo them. Roles are no settings: their rules follow the version, so that an upgrade takes away what was too
 * much. As for Kubernetes' own roles, the annotation `rbac.authorization.kubernetes.io/autoupdate: "false"` opts out.
 *
 * Returns the objects that no webhook could be asked about. That webhook may be one that this process, or a Pod that waits for
 * it, serves later: such objects are installed again then, and the start goes on without them.
 */
export async function installObjects(client: Client, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const pending: KubeObject[] = [];
  for (const object of objects) {
    let act = 'created';
    try {
      // A create is reviewed even when the object exists, so a restart must not send one.
      const found = await find(client, object);
      if (!found) await client.create(object);
      else if (hasOtherRules(found, object)) {
        act = 'updated';
        await client.update({ ...found, rules: (object as Role).rules } as KubeObject);
      }
    } catch (error) {
      if (isWebhookUnavailable(error)) pending.push(object);
      else if (!isStatusError(error, 'AlreadyExists')) throw wrap(error, object, act);
    }
  }
  return pending;
}

/** An account that may only create objects finds out by that. */
async function find(client: Client, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await client.get<KubeObject>(object, keyOf(object));
  } catch (error) {
    if (isStatusError(error, 'NotFound') || isStatusError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

interface Role extends KubeObject {
  readonly rules?: unknown;
  readonly aggregationRule?: unknown;
}

const roleKinds = ['ClusterRole', 'Role'];

/** The rules of an aggregated role are the control plane's to write. */
function hasOtherRules(found: Role, wanted: Role): boolean {
  if (!roleKinds.includes(wanted.kind ?? '') || wanted.aggregationRule !== undefined) return false;
  if (found.metadata.annotations?.['rbac.authorization.kubernetes.io/autoupdate'] === 'false') return false;
  return !equalJson(found.rules ?? [], wanted.rules ?? []);
}

/** Upstream's words for a webhook that could not be called; one that denied the object reads differently. */
function isWebhookUnavailable(error: unknown): boolean {
  return isStatusError(error, 'InternalError') && error.message.includes('failed calling webhook');
}

function wrap(error: unknown, object: KubeObject, act: string): Error {
  const { name } = keyOf(object);
  return new Error(`${object.kind} ${name} could not be ${act}: ${(error as Error).message}`, { cause: error });
}
