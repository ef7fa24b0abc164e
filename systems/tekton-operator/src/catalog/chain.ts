import type { ComponentDescription, PlannedSets } from '../component/component-description.ts';
import type { ObservedComponent } from '../component/observed-component.ts';
import { allow, denyAll, fromMonitoring, labelled, toAnywhere } from '../component/network-rules.ts';
import { needsPipelines, notNamespace, standardConditions } from '../component/standard-conditions.ts';
import { keys } from '../installer-set/set-keys.ts';
import { TektonChain } from '../kinds/kinds.ts';
import { chainTransforms, signingAnnotation } from '../transform/chain-transforms.ts';
import { defaultChain } from '../rules/defaults/default-components.ts';
import { signingKeys } from './signing-keys.ts';

const isSettings = ({ kind, metadata }: { readonly kind: string; readonly metadata: { readonly name?: string } }) =>
  kind === 'ConfigMap' && metadata.name === 'chains-config';
const isSecret = ({ kind }: { readonly kind: string }) => kind === 'Secret';

const controllerPods = labelled({
  'app.kubernetes.io/name': 'controller',
  'app.kubernetes.io/component': 'controller',
  'app.kubernetes.io/instance': 'default',
  'app.kubernetes.io/part-of': 'tekton-chains',
});

/** Tekton Chains. It has three sets: its settings, what runs, and its secrets, which stay when the operator changes. */
export const chainComponent: ComponentDescription<TektonChain> = {
  kind: TektonChain,
  name: 'chain',
  conditions: standardConditions,
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['tekton-chains', 'tekton-chain'],
  versionMap: 'chains-info',
  imagePrefix: 'IMAGE_CHAINS_',
  createsNamespace: false,
  runFinalizers: { prefix: 'chains.tekton.dev/', partOf: 'tekton-chains' },
  dependency: { ...needsPipelines, pipelineName: 'TektonPipeline' },
  applyDefaults: defaultChain,
  keep: notNamespace,
  steps: (observed, extension) => [
    ...chainTransforms(
      observed.spec,
      observed.images,
      observed.spec.generateSigningSecret ? signingKeys(observed.component.metadata.uid ?? '') : undefined,
    ),
    ...extension,
  ],
  sets: (observed, manifest, payload) => {
    const set = (type: string, accepts: (object: (typeof manifest.objects)[number]) => boolean) => ({
      ...observed.wanted(type, payload),
      hash: observed.hash('spec'),
      parts: [{ generateName: `${type}-`, objects: manifest.objects.filter(accepts) }],
    });
    const installType = observed.spec.performance?.['statefulset-ordinals'] ? 'statefulset' : 'deployment';
    return [
      {
        wanted: { ...set('chain-config', isSettings), onChange: 'recreate' },
        missing: 'Chain Config InstallerSet not available',
        decides: false,
      },
      // Before what mounts them.
      secretSet(observed, set('chain-secret', isSecret)),
      {
        wanted: {
          ...set('chain', (object) => !isSettings(object) && !isSecret(object)),
          labels: { [keys.installType]: installType },
        },
        missing: 'Chain InstallerSet not available',
      },
    ];
  },
  networkPolicies: {
    setName: 'chain-network-policies',
    policies: (platform) => ({
      'chains-controller-default-deny': denyAll(controllerPods),
      'chains-controller': allow(controllerPods, [fromMonitoring(platform, 9090)], [toAnywhere]),
    }),
  },
};

/** Keys are not recreated because something else changed: only whether there are any counts, which upstream notes in an annotation. */
function secretSet(observed: ObservedComponent<TektonChain>, wanted: PlannedSets['wanted']): PlannedSets {
  const { version: _version, imagesHash: _images, payload: _payload, ...kept } = wanted;
  const generated = observed.spec.generateSigningSecret === true;
  return {
    wanted: {
      ...kept,
      hash: String(generated),
      compared: { annotation: signingAnnotation, absent: 'false' },
      labels: { [keys.releaseVersion]: observed.services.version },
    },
    missing: 'Chain Secret InstallerSet not available',
    decides: false,
  };
}
