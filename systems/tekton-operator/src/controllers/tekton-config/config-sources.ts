import { kinds } from '@tektite/client';
import { cached, type CachedSource, mapped, owned } from '@tektite/controller';
import { project } from '@tektite/controller/cache';
import type { KubeObject } from '@tektite/meta';
import { TektonInstallerSet } from '../../kinds/kinds.ts';
import { isClusterNamespace } from '../../job-pruner/prune-config.ts';
import type { ComponentChoices } from '../../profile/component-choice.ts';
import { componentObjects, pipelineObject } from '../../profile/component-objects.ts';

/** All watches of the TektonConfig controller. */
export const configSources = {
  sets: owned(TektonInstallerSet),
  allSets: cached(TektonInstallerSet),
  /** Annotations of namespaces say how their runs are pruned. */
  namespaces: mapped(kinds.Namespace, ({ metadata }) => (isClusterNamespace(metadata.name ?? '') ? [] : ['config']), {
    transform: project(kinds.Namespace, { metadata: { labels: true, annotations: true } }),
  }),
  pipeline: owned(pipelineObject.kind),
  components: Object.fromEntries(
    Object.entries(componentObjects).map(([choice, { kind }]) => [choice, owned(kind)]),
  ) as Readonly<Record<keyof ComponentChoices, CachedSource<KubeObject>>>,
};
