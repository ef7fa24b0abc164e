import type { DraftObject, Manifest } from '@tektite/manifest';
import type { Mutable } from '@tektite/meta';
import type { Service } from '@tektite/schema/kubernetes';
import type { AdditionalController } from '../kinds/component-fields.ts';
import { mappingAt } from '../transform/draft-fields.ts';
import { deploymentIn, templateOf } from '../transform/workload.ts';
import { completeSettings } from '../rules/pipelines-as-code-settings.ts';

const copied: Readonly<Record<string, string>> = {
  Deployment: 'pipelines-as-code-controller',
  Service: 'pipelines-as-code-controller',
  Route: 'pipelines-as-code-controller',
  ConfigMap: 'pipelines-as-code',
  ServiceMonitor: 'pipelines-as-code-controller-monitor',
};

/** A further controller of Pipelines as Code: copies of the first one's objects, under its name and with its settings. */
export function furtherController(manifest: Manifest, name: string, config: AdditionalController): Manifest {
  const full = `${name}-pac-controller`;
  return manifest
    .filter(({ kind, metadata }) => Object.hasOwn(copied, kind) && copied[kind] === metadata.name)
    .filter(({ kind }) => kind !== 'ConfigMap' || config.configMapName !== 'pipelines-as-code')
    .transform(function furtherController(draft) {
      draft.metadata.name = draft.kind === 'ConfigMap' ? (config.configMapName ?? full) : full;
      if (draft.kind === 'Deployment') renameDeployment(draft, full, config);
      if (draft.kind === 'Service') renameService(draft, full);
      if (draft.kind === 'ConfigMap') {
        const map = draft as { data?: Readonly<Record<string, string>> };
        map.data = { ...map.data, ...completeSettings(config.settings) };
      }
      if (draft.kind === 'Route') renameRoute(draft, full);
      const selector = draft.kind === 'ServiceMonitor' ? mappingAt(draft, 'spec', 'selector') : undefined;
      if (selector) selector.matchLabels = { app: full };
    });
}

function renameDeployment(draft: DraftObject, full: string, config: AdditionalController): void {
  const deployment = deploymentIn(draft);
  if (!deployment) return;
  const { spec } = deployment;
  const template = templateOf(spec);
  spec.selector = {
    ...spec.selector,
    matchLabels: { ...spec.selector?.matchLabels, 'app.kubernetes.io/name': full },
  };
  template.metadata = {
    ...template.metadata,
    labels: { ...template.metadata?.labels, app: full, 'app.kubernetes.io/name': full },
  };
  const values: Readonly<Record<string, string | undefined>> = {
    PAC_CONTROLLER_CONFIGMAP: config.configMapName,
    PAC_CONTROLLER_SECRET: config.secretName,
    PAC_CONTROLLER_LABEL: full,
  };
  for (const container of template.spec.containers) {
    container.name = full;
    for (const variable of container.env ?? []) {
      const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
      if (value !== undefined) variable.value = value;
    }
  }
}

function renameService(draft: DraftObject, full: string): void {
  draft.metadata.labels = { ...draft.metadata.labels, app: full, 'app.kubernetes.io/name': full };
  const service = draft as Mutable<Service>;
  service.spec = { ...service.spec, selector: { ...service.spec?.selector, 'app.kubernetes.io/name': full } };
}

function renameRoute(draft: DraftObject, full: string): void {
  draft.metadata.labels = { ...draft.metadata.labels, app: full, 'pipelines-as-code/route': full };
  const to = mappingAt(draft, 'spec', 'to');
  if (to) to.name = full;
}
