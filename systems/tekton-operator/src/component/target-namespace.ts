import { type Client, kinds } from '@tektite/client';
import { controllerReference, isStatusError, type KubeObject } from '@tektite/meta';
import type { Namespace } from '@tektite/schema/kubernetes';
import type { Progress } from '../extension/progress.ts';

/** On the namespace that a component is installed in. In camel case; the annotation of sets is another one. */
export const targetLabel = 'operator.tekton.dev/targetNamespace';

export interface NamespaceMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Has the namespace of a component: made when it is missing, marked when it is there. The first component that comes owns it, so it
 * goes with that one; a namespace that a component left is deleted.
 */
export async function ensureTargetNamespace(
  client: Client,
  component: KubeObject,
  name: string,
  metadata: NamespaceMetadata = {},
): Promise<Progress> {
  const labels = { ...metadata.labels, [targetLabel]: 'true' };
  const wanted = { labels, annotations: metadata.annotations ?? {} };
  const labelled = (await client.list(kinds.Namespace, { labelSelector: `${targetLabel}=true` })).items;
  let isWaiting = false;
  for (const namespace of labelled) {
    const { metadata: found } = namespace;
    const [owner] = found.ownerReferences ?? [];
    if (found.name === name || !owner) continue;
    if (found.deletionTimestamp) isWaiting = true;
    else if (owner.name === component.metadata.name && owner.kind === component.kind)
      await client.delete(kinds.Namespace, { name: found.name ?? '' }).catch(ignoreDeleted);
  }
  const live = labelled.find((namespace) => namespace.metadata.name === name) ?? (await find(client, name));
  if (isWaiting || live?.metadata.deletionTimestamp) return 'later';
  if (!live) {
    const ownerReferences = [controllerReference(component)];
    await client.create(kinds.Namespace, { metadata: { name, ...wanted, ownerReferences } });
    return 'done';
  }
  const next = marked(live, wanted, component);
  if (next) await client.update(kinds.Namespace, next);
  return 'done';
}

/** The namespace with what it lacks; nothing when it lacks nothing. */
function marked(
  live: Namespace,
  wanted: { labels: Readonly<Record<string, string>>; annotations: Readonly<Record<string, string>> },
  component: KubeObject,
): Namespace | undefined {
  const { labels = {}, annotations = {}, ownerReferences = [] } = live.metadata;
  const lacks = (have: Readonly<Record<string, string>>, want: Readonly<Record<string, string>>) =>
    Object.entries(want).some(([key, value]) => have[key] !== value);
  const isGood = ownerReferences.length > 0 && !lacks(labels, wanted.labels) && !lacks(annotations, wanted.annotations);
  if (isGood) return undefined;
  return {
    ...live,
    metadata: {
      ...live.metadata,
      labels: { ...labels, ...wanted.labels },
      annotations: { ...annotations, ...wanted.annotations },
      ownerReferences: ownerReferences.length > 0 ? ownerReferences : [controllerReference(component)],
    },
  };
}

async function find(client: Client, name: string): Promise<Namespace | undefined> {
  return await client.getOrUndefined(kinds.Namespace, { name });
}

function ignoreDeleted(error: unknown): void {
  if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error;
}
