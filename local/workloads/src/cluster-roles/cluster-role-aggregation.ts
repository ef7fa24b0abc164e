import { kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { equalJson } from '@tektite/meta';
import { aggregateRules } from './aggregate-rules.ts';

/** Keeps ClusterRoles that are made of others, such as `admin`, `edit` and `view`, up to date. */
export function clusterRoleAggregation(): ControllerDefinition {
  // Any role may have been, or may become, a part of any other.
  const roles = mapped(kinds.ClusterRole, (_, own) => own.keys(), {
    predicate: (change) =>
      change.type !== 'modified' ||
      !equalJson(change.object.rules, change.before.rules) ||
      !equalJson(change.object.metadata.labels, change.before.metadata.labels),
  });
  return defineController({
    name: 'cluster-role-aggregation',
    kind: kinds.ClusterRole,
    sources: [roles],
    concurrency: 1,
    async reconcile(role, { cache, client, name }) {
      if (!role.aggregationRule || role.metadata.deletionTimestamp !== undefined) return;
      const rules = aggregateRules(role, cache(roles).list());
      if (equalJson(rules, role.rules ?? [])) return;
      const { resourceVersion } = role.metadata;
      const fieldManager = 'clusterrole-aggregation-controller';
      await client.patch(kinds.ClusterRole, { name }, mergePatch({ metadata: { resourceVersion }, rules }), {
        fieldManager,
      });
    },
  });
}
