import { Manifest } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { ensureTargetNamespace } from '../component/target-namespace.ts';
import type { ComponentExtension } from '../extension/extension.ts';
import type { TektonPipeline } from '../kinds/kinds.ts';
import { paramValue } from '../kinds/shared-fields.ts';
import { bundleMaps } from './namespace-objects.ts';
import { labels } from './openshift-kinds.ts';
import { moveMonitors } from './openshift-transforms.ts';

const wantsMetrics = ({ spec }: TektonPipeline) =>
  (paramValue(spec?.params, 'enableMetrics') ?? 'true').toLowerCase() === 'true';

/** The parts of Pipelines that only OpenShift has: certificates and monitoring of its namespace. */
export const pipelineParts: ComponentExtension<TektonPipeline> = {
  async preReconcile({ client, component, namespace, ensureSet }) {
    const state = await ensureSet('pre', Manifest.of(bundleMaps(namespace) as readonly DynamicObject[], 'cabundles'));
    if (state.state !== 'ready') return 'later';
    const metadata = { labels: { [labels.monitoring]: String(wantsMetrics(component)) } };
    return ensureTargetNamespace(client, component, namespace, metadata);
  },
  async postReconcile({ component, namespace, services, ensureSet, removeSet }) {
    const monitors = wantsMetrics(component) ? await services.payload.extra('openshift-monitoring') : undefined;
    if (!monitors) {
      await removeSet('post');
      return 'done';
    }
    const moved = monitors.transform(moveMonitors(namespace), function intoNamespace(draft) {
      if (draft.metadata.namespace) draft.metadata.namespace = namespace;
    });
    return (await ensureSet('post', moved)).state === 'ready' ? 'done' : 'later';
  },
};
