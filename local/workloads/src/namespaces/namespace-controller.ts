import { type Client, kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, done, requeueAfter, writeStatus } from '@tektite/controller';
import { formatTime, instantToMilliseconds, isStatusError, parseTime } from '@tektite/meta';
import { deleteContent } from './delete-content.ts';
import { namespaceConditions } from './namespace-conditions.ts';

const ownFinalizer = 'kubernetes';

/**
 * Empties namespaces that are to go, says what they still wait for, and lets them go. It writes by a client of its own: a
 * namespace waits for finalizers in its spec, which who waits for the cache to show a write would take for a deletion.
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
      try {
        await client.update(
          kinds.Namespace,
          { ...latest, spec: { ...latest.spec, finalizers } },
          { subresource: 'finalize' },
        );
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error;
      }
      return done;
    },
  });
}

/** Nothing tells when the content is gone. Most goes at once, some after a grace period, some never. */
function patience(waitedMs: number): number {
  return Math.min(Math.max(waitedMs / 2, 250), 8000);
}
