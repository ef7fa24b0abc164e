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
  {
    name: 'ResolverTask',
    param: 'resolverTasks',
    folders: ['tekton-addon/addons/06-ecosystem/tasks'],
    versioned: 'addon-versioned-resolvertasks',
  },
  {
    name: 'ResolverStepAction',
    param: 'resolverStepActions',
    folders: ['tekton-addon/addons/06-ecosystem/stepactions'],
    versioned: 'addon-versioned-resolverstepactions',
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
      const type = typeOf(part.name);
      planned.push({
        wanted: {
          ...observed.wanted(type),
          parts: [{ generateName: `${observed.prefix}-${type}-`, objects: objects.objects }],
        },
      });
      if ('versioned' in part) planned.push(versionedSet(observed, objects, part));
    }
    return planned;
  },
  isStale: ({ metadata }, observed) => {
    const type = metadata.labels?.[keys.type];
    const part = parts.find(({ name }) => type === typeOf(name) || type === typeOf(`Versioned${name}`));
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

const typeOf = (name: string) => `custom-${name.toLowerCase()}` as const;

/**
 * The same Tasks under names with the version of the operator, for pipelines that want to stay with it: a set for each minor version,
 * made once. The upgrade keeps the last two.
 */
function versionedSet(
  observed: ObservedComponent<TektonAddon>,
  { objects }: Manifest,
  { name, versioned }: { readonly name: string; readonly versioned: string },
): PlannedSets {
  const { version } = observed.services;
  const minorVersion = version.slice(0, Math.max(version.lastIndexOf('.'), 0)) || version;
  const suffix = `${minorVersion.replace(/^v/, '')}.0`.replaceAll('.', '-');
  const {
    hash: _hash,
    version: _version,
    imagesHash: _images,
    ...wanted
  } = observed.wanted(typeOf(`Versioned${name}`));
  const named = objects
    .filter(({ kind }) => kind === 'Task' || kind === 'StepAction')
    .map((object) => ({ ...object, metadata: { ...object.metadata, name: `${object.metadata.name}-${suffix}` } }));
  return {
    wanted: {
      ...wanted,
      minorVersion,
      labels: { [keys.releaseVersion]: version },
      parts: [{ generateName: `${versioned}-${minorVersion}-`, objects: named }],
    },
  };
}

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
