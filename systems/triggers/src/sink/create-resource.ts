import { type Client, isClientError } from '@tektite/client';
import { isStatusError, type KubeObject, type ObjectMeta } from '@tektite/meta';
import { unmarshal } from '../json/unmarshal.ts';

export interface ResourceOrigin {
  readonly listener: string;
  readonly trigger: string;
  readonly eventId: string;
  /** Of the trigger. Objects without a namespace are created there. */
  readonly namespace: string;
}

/** The object that a text of a template describes, with the labels that name its origin. */
export function resourceFrom(text: string, { listener, trigger, eventId, namespace }: ResourceOrigin): KubeObject {
  let value: unknown;
  try {
    value = unmarshal(text);
  } catch (error) {
    throw new Error(`couldn't unmarshal json from the TriggerTemplate: ${(error as Error).message}`, { cause: error });
  }
  const { apiVersion, kind, metadata = {} } = (value ?? {}) as Partial<KubeObject>;
  if (typeof kind !== 'string' || kind === '')
    throw new Error(`couldn't unmarshal json from the TriggerTemplate: Object 'Kind' is missing in '${text}'`);
  const labels = labelsOf(metadata);
  return {
    ...(value as object),
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    kind,
    metadata: {
      ...metadata,
      namespace: metadata.namespace || namespace,
      labels: {
        ...labels,
        'triggers.tekton.dev/eventlistener': listener,
        'triggers.tekton.dev/triggers-eventid': eventId,
        'triggers.tekton.dev/trigger': trigger,
      },
    },
  };
}

function labelsOf({ labels = {} }: ObjectMeta): Readonly<Record<string, string>> {
  for (const [key, value] of Object.entries(labels))
    if (typeof value !== 'string')
      throw new Error(
        `.metadata.labels accessor error: contains non-string value in the map under key "${key}": ${JSON.stringify(value)} is of the type ${typeof value}, expected string`,
      );
  return labels;
}

/** Creates an object, or has the server check its creation. Errors are in upstream's words. */
export async function createResource(client: Client, object: KubeObject, dryRun = false): Promise<KubeObject> {
  const { apiVersion, kind } = object;
  let resource;
  try {
    resource = await client.discovery.find({ apiVersion, kind });
  } catch (error) {
    if (!isClientError(error)) throw error;
    throw new Error(
      `couldn't find API resource for json: error could not find resource with apiVersion ${apiVersion} and kind ${kind}`,
      { cause: error },
    );
  }
  const { namespace: _, ...clusterMetadata } = object.metadata;
  const placed = resource.scope === 'Namespaced' ? object : { ...object, metadata: clusterMetadata };
  try {
    return await client.create({ apiVersion, kind }, placed, dryRun ? { dryRun } : {});
  } catch (error) {
    if (isStatusError(error) && (error.code === 401 || error.code === 403)) throw error;
    const { group, version, plural } = resource;
    throw new Error(
      `couldn't create resource with group version kind "${group}/${version}, Resource=${plural}": ${(error as Error).message}`,
      { cause: error },
    );
  }
}
