import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import { isStatusError } from '@tektite/meta';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';

/** Definitions whose versions changed at times. */
const definitions = [
  'extensions.dashboard.tekton.dev',
  ...['clustertasks', 'customruns', 'pipelineruns', 'pipelines', 'taskruns', 'tasks', 'verificationpolicies'].map(
    (name) => `${name}.tekton.dev`,
  ),
  'resolutionrequests.resolution.tekton.dev',
  'repositories.pipelinesascode.tekton.dev',
  ...[
    'clusterinterceptors',
    'clustertriggerbindings',
    'eventlisteners',
    'interceptors',
    'triggerbindings',
    'triggers',
    'triggertemplates',
  ].map((name) => `${name}.triggers.tekton.dev`),
];

/**
 * Has every object of Tekton's kinds written in the version that is stored now, by an empty change, and then has the definitions forget
 * the older versions. What fails is logged, no more: it can be done the next time.
 */
export async function migrateStorage(client: Client, log: Logger): Promise<void> {
  for (const name of definitions)
    try {
      const definition = await client.get(kinds.CustomResourceDefinition, { name });
      await migrate(client, definition);
    } catch (error) {
      if (!isStatusError(error, 'NotFound'))
        log.error('objects were not written in their new version', { definition: name, error: error as Error });
    }
}

async function migrate(client: Client, definition: CustomResourceDefinition): Promise<void> {
  const stored = (definition.spec.versions ?? []).find(({ storage }) => storage)?.name;
  if (!stored || (definition.status?.storedVersions ?? []).every((version) => version === stored)) return;
  const { group, names } = definition.spec;
  const kind = { apiVersion: `${group}/${stored}`, kind: names.kind };
  for (const { metadata } of (await client.list(kind)).items) {
    const key = { name: metadata.name ?? '', ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
    await client.patch(kind, key, mergePatch({})).catch(ignoreNotFound);
  }
  const key = { name: definition.metadata.name ?? '' };
  await client.patchStatus(kinds.CustomResourceDefinition, key, mergePatch({ status: { storedVersions: [stored] } }));
}
