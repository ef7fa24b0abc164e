import { type DraftObject, Manifest } from '@tektite/manifest';
import { cloneJson, type DynamicObject, type Mutable } from '@tektite/meta';
import type { HorizontalPodAutoscalerSpec } from '@tektite/schema/kubernetes';
import type { AdditionalOptions } from '../kinds/shared-fields.ts';
import { labelWithHash } from './deployment-hash.ts';
import { isMapping, listAt } from './draft-fields.ts';
import { overlayWorkload, type WorkloadOptions } from './overlay-workload.ts';
import { deploymentIn, statefulSetIn } from './workload.ts';

type Texts = Readonly<Record<string, string>>;
interface Labelled {
  readonly metadata?: { readonly labels?: Texts; readonly annotations?: Texts } | undefined;
}

/**
 * Overlays the user's options over the objects of a component, after all other transforms. ConfigMaps and autoscalers
 * that the release does not have are added.
 */
export function overlayOptions(manifest: Manifest, namespace: string, options: AdditionalOptions = {}): Manifest {
  if (options.disabled) return manifest;
  const result = manifest.transform(function options_(draft) {
    overlay(draft, options);
  });
  return result.append(
    Manifest.of(
      [
        ...added(result, 'v1', 'ConfigMap', options.configMaps, namespace),
        ...added(result, 'autoscaling/v2', 'HorizontalPodAutoscaler', options.horizontalPodAutoscalers, namespace),
      ],
      'options',
    ),
  );
}

function overlay(draft: DraftObject, options: AdditionalOptions): void {
  const name = draft.metadata.name ?? '';
  switch (draft.kind) {
    case 'ConfigMap':
      return overlayConfigMap(draft, at(options.configMaps, name) as ConfigMapOptions | undefined);
    case 'Deployment': {
      const deployment = deploymentIn(draft);
      if (!deployment) return undefined;
      const wanted = at(options.deployments, name) as WorkloadOptions | undefined;
      if (wanted) {
        overlayLabels(draft, wanted);
        overlayWorkload(deployment.spec, wanted);
      }
      return labelWithHash(deployment);
    }
    case 'StatefulSet': {
      const wanted = at(options.statefulSets, name) as WorkloadOptions | undefined;
      const set = statefulSetIn(draft);
      if (!wanted || !set) return undefined;
      overlayLabels(draft, wanted);
      return overlayWorkload(set.spec, wanted);
    }
    case 'HorizontalPodAutoscaler':
      return overlayAutoscaler(draft, at(options.horizontalPodAutoscalers, name) as AutoscalerOptions | undefined);
    case 'ValidatingWebhookConfiguration':
    case 'MutatingWebhookConfiguration':
      return overlayWebhooks(draft, at(options.webhookConfigurationOptions, name));
    default:
      return undefined;
  }
}

function at<T>(map: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return map && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Labels and annotations besides those of the release. */
export function overlayLabels(draft: DraftObject, { metadata }: Labelled): void {
  const { labels, annotations } = metadata ?? {};
  if (labels) draft.metadata.labels = { ...draft.metadata.labels, ...labels };
  if (annotations) draft.metadata.annotations = { ...draft.metadata.annotations, ...annotations };
}

interface ConfigMapOptions extends Labelled {
  readonly data?: Texts;
}

function overlayConfigMap(draft: DraftObject, wanted: ConfigMapOptions | undefined): void {
  if (!wanted) return;
  overlayLabels(draft, wanted);
  const map = draft as { data?: Texts };
  if (wanted.data) map.data = Object.fromEntries([...Object.entries(map.data ?? {}), ...Object.entries(wanted.data)]);
}

interface AutoscalerOptions extends Labelled {
  readonly spec?: Partial<HorizontalPodAutoscalerSpec>;
}

function overlayAutoscaler(draft: DraftObject, wanted: AutoscalerOptions | undefined): void {
  if (!wanted) return;
  overlayLabels(draft, wanted);
  const target = draft as unknown as { spec: Mutable<HorizontalPodAutoscalerSpec> };
  const { scaleTargetRef, minReplicas, maxReplicas = 0, metrics = [], behavior } = wanted.spec ?? {};
  target.spec = cloneJson({
    ...target.spec,
    ...(scaleTargetRef?.kind && scaleTargetRef.name ? { scaleTargetRef } : {}),
    ...(minReplicas === undefined ? {} : { minReplicas }),
    ...(maxReplicas > 0 ? { maxReplicas } : {}),
    ...(metrics.length > 0 ? { metrics } : {}),
    ...(behavior ? { behavior: { ...target.spec?.behavior, ...behavior } } : {}),
  }) as Mutable<HorizontalPodAutoscalerSpec>;
}

type WebhookOptions = NonNullable<AdditionalOptions['webhookConfigurationOptions']>[string];

/** Only the webhook that is called as its configuration is. */
function overlayWebhooks(draft: DraftObject, wanted: WebhookOptions | undefined): void {
  if (!wanted) return;
  for (const webhook of listAt(draft, 'webhooks'))
    if (isMapping(webhook) && webhook.name === draft.metadata.name) Object.assign(webhook, wanted);
}

function added(
  manifest: Manifest,
  apiVersion: string,
  kind: string,
  wanted: Readonly<Record<string, object>> | undefined,
  namespace: string,
): readonly DynamicObject[] {
  const known = new Set(manifest.objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name));
  return Object.entries(wanted ?? {})
    .filter(([name]) => !known.has(name))
    .map(([name, object]) => {
      const given = object as Partial<DynamicObject>;
      return { apiVersion, kind, ...given, metadata: { ...given.metadata, name, namespace } };
    });
}
