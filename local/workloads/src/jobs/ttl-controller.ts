import { kinds, ignoreNotFound } from '@tektite/client';
import { type ControllerDefinition, defineController, done, requeueAfter } from '@tektite/controller';
import { instantToMilliseconds, parseTime } from '@tektite/meta';
import type { Job } from '@tektite/schema/kubernetes';

/** The time at which a completed Job with a TTL is due for deletion. */
export function expiryOf({ spec, status }: Job): number | undefined {
  const ttl = spec?.ttlSecondsAfterFinished;
  const over = status?.conditions?.find(
    (condition) => (condition.type === 'Complete' || condition.type === 'Failed') && condition.status === 'True',
  );
  if (ttl === undefined || !over?.lastTransitionTime) return undefined;
  return instantToMilliseconds(parseTime(over.lastTransitionTime)) + ttl * 1000;
}

/** Deletes completed Jobs after their TTL. */
export function ttlController(): ControllerDefinition {
  return defineController({
    name: 'ttl-after-finished',
    kind: kinds.Job,
    async reconcile(job, { client, clock, namespace = '', name }) {
      const expiry = job.metadata.deletionTimestamp === undefined ? expiryOf(job) : undefined;
      if (expiry === undefined) return done;
      const left = expiry - clock.now();
      if (left > 0) return requeueAfter(left);
      // The cache may be old; that the Job is still as it was, the server checks.
      const { uid, resourceVersion } = job.metadata;
      const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
      await client
        .delete(kinds.Job, { namespace, name }, { propagationPolicy: 'Foreground', preconditions })
        .catch(ignoreNotFound);
      return done;
    },
  });
}
