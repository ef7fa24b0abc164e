import { type Client, keyOf } from '@tektite/client';
import { type DynamicObject, isStatusError } from '@tektite/meta';
import { readLive } from '../read-live.ts';
import { type ApplySet, parentReference, readSet } from '../set/apply-set.ts';
import { inParallel } from '../in-parallel.ts';
import { membersOf } from '../apply/prune.ts';
import { listAt } from '../field-value.ts';
import type { Manifest } from '../manifest.ts';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, groupKindOf, groupOf, identityText } from '../object-identity.ts';

const atOnce = 8;

/** The live objects that an apply of a manifest writes or reads, by identity. */
export async function liveObjects(
  client: Client,
  manifest: Manifest,
  options: { readonly set?: ApplySet; readonly signal?: AbortSignal },
): Promise<Map<string, DynamicObject>> {
  const found = new Map<string, DynamicObject>();
  const { signal, set } = options;
  const take = async (reference: DynamicObject) => {
    const object = await readLive(client, reference, keyOf(reference), signal);
    if (object) found.set(identityText(object), object);
  };
  await inParallel(
    manifest.objects.filter(({ metadata }) => metadata.name),
    atOnce,
    take,
  );
  if (set) {
    const reference = parentReference(set);
    await take({
      ...reference,
      metadata: { name: reference.name, ...(set.namespace ? { namespace: set.namespace } : {}) },
    });
    const contents = await readSet(client, set, signal);
    if (contents)
      for (const member of await membersOf(client, set, contents, signal)) found.set(identityText(member), member);
  }
  await inParallel(await surroundings(client, manifest, [...found.values()], set), atOnce, async (reference) => {
    await take(reference).catch((error: unknown) => {
      if (!isStatusError(error, 'Forbidden')) throw error;
      if (reference.kind !== 'Namespace') throw unreadable(reference, error);
      // A user of a namespace may not be allowed to read it; it exists if any object in it does.
      found.set(identityText(reference), reference);
    });
  });
  return found;
}

function unreadable(reference: DynamicObject, cause: unknown): ManifestError {
  const what = describeObject(reference);
  return new ManifestError(
    'FORBIDDEN',
    `a plan has to read ${what}, which is forbidden; ask the cluster for a dry run instead (--server-dry-run)`,
    { cause },
  );
}

/** The namespaces of the objects, and the definitions of their kinds. */
async function surroundings(
  client: Client,
  manifest: Manifest,
  live: readonly DynamicObject[],
  set: ApplySet | undefined,
): Promise<DynamicObject[]> {
  const all = [...manifest.objects, ...live];
  const namespaces = new Set(all.map(({ metadata }) => metadata.namespace ?? ''));
  namespaces.add(set?.namespace ?? '');
  namespaces.delete('');
  const kinds = new Set(all.filter((object) => groupOf(object).includes('.')).map(groupKindOf));
  const { resources } = await client.discovery.all();
  const definitions = resources.filter(({ group, kind }) => kinds.has(`${kind}.${group}`));
  const names = new Set(definitions.map(({ group, plural }) => `${plural}.${group}`));
  return [
    ...[...namespaces].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ...[...names].map((name) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
    })),
  ];
}

/** The webhooks of a cluster that would be asked about objects: a copy does not ask them. */
export async function webhooksAsked(client: Client, objects: readonly DynamicObject[]): Promise<readonly string[]> {
  const { resources } = await client.discovery.all();
  const touched = resources.filter(({ group, kind }) =>
    objects.some((object) => object.kind === kind && groupOf(object) === group),
  );
  const names: string[] = [];
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const list = await client.list({ apiVersion: 'admissionregistration.k8s.io/v1', kind }).catch((error: unknown) => {
      if (isStatusError(error, 'Forbidden')) return { items: [] as DynamicObject[] };
      throw error;
    });
    for (const configuration of list.items as readonly DynamicObject[])
      for (const webhook of listAt(configuration, 'webhooks'))
        if (touched.some(({ group, plural }) => matches(webhook, group, plural)))
          names.push(String((webhook as { name?: unknown }).name));
  }
  return names;
}

function matches(webhook: unknown, group: string, plural: string): boolean {
  return listAt(webhook, 'rules').some((rule) => {
    const groups = listAt(rule, 'apiGroups');
    const plurals = listAt(rule, 'resources');
    return (
      (groups.includes('*') || groups.includes(group)) &&
      (plurals.includes('*') || plurals.includes('*/*') || plurals.includes(plural))
    );
  });
}
