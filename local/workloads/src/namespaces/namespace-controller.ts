import { type Client, kinds, ignoreNotFound } from '@tektite/client';
import { type ControllerDefinition, defineController, done, requeueAfter, writeStatus } from '@tektite/controller';
import { formatTime, instantToMilliseconds, parseTime } from '@tektite/meta';
import { deleteContent } from './delete-content.ts';
import { namespaceConditions } from './namespace-conditions.ts';

const ownFinalizer = 'kubernetes';

/**
 * Deletes the content of terminating namespaces, reports the remaining content in conditions, and removes the
 * finalizer. It writes with a client that does not wait for the cache: a namespace waits for the finalizers in its
 * spec, and a cache that waits for its own write would take that for a deletion.
 */
export function namespaceController(client: Client): ControllerDefinition {
  return defineController({
    name: 'namespace',
    kind: kinds.Namespace,
    async reconcile(namespace, { clock, name, signal }) {
      const { deletionTimestamp } = namespace.metadata;
      if (deletionTimestamp === undefined || !namespace.spec?.finalizers?.includes(ownFinalizer)) return done;
      const report = await deleteContent(client, name, signal);
      const conditions = namespaceConditions(namespace.status?.conditions ?? [], report, formatTime(clock.now()));
      const wrote = await writeStatus(client, namespace, { ...namespace.status, phase: 'Terminating', conditions });
      if (report.failures.length > 0 || report.undiscovered.length > 0 || report.remaining.size > 0)
        return requeueAfter(patience(clock.now() - instantToMilliseconds(parseTime(deletionTimestamp))));
      const latest = wrote ? await client.get(kinds.Namespace, { name }) : namespace;
      const finalizers = latest.spec?.finalizers?.filter((each) => each !== ownFinalizer) ?? [];
      await client
        .update(kinds.Namespace, { ...latest, spec: { ...latest.spec, finalizers } }, { subresource: 'finalize' })
        .catch(ignoreNotFound);
      return done;
    },
  });
}

/**
 * No watch reports that all content is deleted. Most of it is deleted at once, some after a grace period, some never.
 */
function patience(waitedMs: number): number {
  return Math.min(Math.max(waitedMs / 2, 250), 8000);
}
