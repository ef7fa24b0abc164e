import { injectOwner, knownScopes, type Manifest, type Transform } from '@tektite/manifest';
import type { KubeObject } from '@tektite/meta';
import type { AdditionalOptions } from '../kinds/shared-fields.ts';
import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import { minimumKubernetes } from './environment-variables.ts';
import {
  moveClientConfigs,
  moveClusterRoles,
  moveRoleBinding,
  moveToNamespace,
  moveWebhookSelectors,
} from './namespace-transforms.ts';
import { overlayOptions } from './options.ts';
import { restrictPods } from './pod-security.ts';

export interface ManifestTransform {
  /** Whose objects they are. */
  readonly component: KubeObject;
  readonly namespace: string;
  readonly environment: OperatorEnvironment;
  /** The transforms of the component, after the common ones. */
  readonly steps: readonly (Transform | undefined)[];
  /** The user's overlay, last. */
  readonly options?: AdditionalOptions;
}

/**
 * The objects of a release as a component installs them. RoleBindings come last, and go through two steps only.
 *
 * @example
 * transformManifest(release, { component, namespace: 'tekton-pipelines', environment, steps: pipelineTransforms(...) })
 */
export function transformManifest(manifest: Manifest, how: ManifestTransform): Manifest {
  const { component, namespace, environment, steps, options } = how;
  const own = injectOwner({ owner: component });
  const isBinding = ({ kind }: { readonly kind: string }) => kind === 'RoleBinding';
  const others = manifest
    .filter((object) => !isBinding(object))
    .transform(
      own,
      moveToNamespace(namespace, knownScopes(manifest)),
      moveClientConfigs(namespace),
      moveClusterRoles(namespace),
      moveWebhookSelectors(namespace),
      restrictPods('Deployment'),
      minimumKubernetes(environment),
      ...steps,
    );
  const bindings = manifest.filter(isBinding).transform(own, moveRoleBinding(namespace));
  return overlayOptions(others.append(bindings), namespace, options);
}
