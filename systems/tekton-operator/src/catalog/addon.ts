import { Manifest } from '@tektite/manifest';
import type { ComponentDescription, PlannedSets } from '../component/component-description.ts';
import type { ObservedComponent } from '../component/observed-component.ts';
import { needsPipelinesPlural, notNamespace } from '../component/standard-conditions.ts';
import { keys } from '../installer-set/set-keys.ts';
import { TektonAddon } from '../kinds/kinds.ts';
import { paramValue } from '../kinds/shared-fields.ts';
import { taskImages } from '../transform/images.ts';
import { defaultAddon } from '../rules/defaults/default-components.ts';

/** The addons: the name of their set, the parameter that turns them off, and their place in a payload. */
const parts = [
  { name: 'ResolverTask', param: 'resolverTasks', folders: ['tekton-addon/addons/06-ecosystem/tasks'] },
  {
    name: 'ResolverStepAction',
    param: 'resolverStepActions',
    folders: ['tekton-addon/addons/06-ecosystem/stepactions'],
  },
  {
    name: 'PipelinesTemplate',
    param: 'pipelineTemplates',
    folders: ['tekton-addon/tekton-pipeline-template', 'tekton-addon/addons/02-pipelines'],
  },
  { name: 'TriggersResources', folders: ['tekton-addon/addons/01-clustertriggerbindings'] },
  { name: 'OpenShiftConsole', folders: ['tekton-addon/optional/quickstarts', 'tekton-addon/optional/samples'] },
  { name: 'ConsoleCLI', folders: ['tekton-addon/addons/03-consolecli', 'tekton-addon/addons/04-tkncliserve'] },
  { name: 'CommunityResolverTask', param: 'communityResolverTasks', folders: ['tekton-addon/community'] },
] as const;

/** Tasks, templates and console parts that come with Tekton on OpenShift. Each is a separate set. */
export const addonComponent: ComponentDescription<TektonAddon> = {
  kind: TektonAddon,
  name: 'addon',
  conditions: ['DependenciesInstalled', 'PreReconciler', 'InstallerSetReady', 'PostReconciler'],
  mainFailed: 'Addons failed',
  folders: () => [],
  isOfOperator: true,
  imagePrefix: 'IMAGE_ADDONS_',
  createsNamespace: false,
  dependency: { ...needsPipelinesPlural, triggers: true },
  applyDefaults: defaultAddon,
  steps: ({ images }, extension) => [
    taskImages(images),
    function addonLabel(draft) {
      const label = 'operator.tekton.dev/operand-name';
      draft.metadata.labels = { [label]: 'openshift-pipelines-addons', ...draft.metadata.labels };
    },
    ...extension,
  ],
  async sets(observed) {
    const planned: PlannedSets[] = [];
    for (const part of parts) {
      const objects = isOn(observed, part) ? await objectsOf(observed, part.folders) : undefined;
      if (!objects) continue;
      const type = `custom-${part.name.toLowerCase()}`;
      planned.push({
        wanted: {
          ...observed.wanted(type),
          parts: [{ generateName: `${observed.prefix}-${type}-`, objects: objects.objects }],
        },
      });
    }
    return planned;
  },
  isStale: ({ metadata }, observed) => {
    const part = parts.find(({ name }) => metadata.labels?.[keys.type] === `custom-${name.toLowerCase()}`);
    return part !== undefined && !isOn(observed, part);
  },
  obsoleteTypes: [
    'ClusterTask',
    'CommunityClusterTask',
    'PipelinesTemplate',
    'TriggersResources',
    'ConsoleCLI',
    'MiscellaneousResources',
    'PipelinesAsCode',
  ],
  deletesDefinitions: false,
};

function isOn({ spec }: ObservedComponent<TektonAddon>, part: (typeof parts)[number]): boolean {
  return !('param' in part) || paramValue(spec.params, part.param) !== 'false';
}

async function objectsOf(
  observed: ObservedComponent<TektonAddon>,
  folders: readonly string[],
): Promise<Manifest | undefined> {
  const found: Manifest[] = [];
  for (const folder of folders) {
    const manifest = await observed.services.payload.extra(folder);
    if (manifest) found.push(manifest.filter(notNamespace));
  }
  return found.length > 0 ? observed.transform(new Manifest().append(...found)) : undefined;
}
