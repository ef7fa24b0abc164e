import type { Client } from '@tektite/client';
import { type Logger, migrateStorage } from '@tektite/controller';
import { isStatusError } from '@tektite/meta';

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

/** Migrates the stored objects of Tekton's kinds. What fails is logged, no more: it can be done the next time. */
export async function migrateTekton(client: Client, log: Logger): Promise<void> {
  for (const name of definitions)
    try {
      const { failed = [] } = (await migrateStorage(client, name)) ?? {};
      for (const { object, error } of failed)
        log.error('an object was not written in its new version', { definition: name, object, error });
    } catch (error) {
      if (!isStatusError(error, 'NotFound'))
        log.error('objects were not written in their new version', { definition: name, error: error as Error });
    }
}
