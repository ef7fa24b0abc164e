import { type FieldErrors, noFieldErrors } from '@tektite/controller/field-errors';
import {
  type AdmissionWebhook,
  defaulting,
  type DefaultingRule,
  defaultingWebhook,
  validating,
  type ValidatingRule,
  validatingWebhook,
} from '@tektite/controller/webhook';
import { equalJson, type KubeObject } from '@tektite/meta';
import { type Kind, printAsGo } from '@tektite/schema';
import {
  OpenShiftPipelinesAsCode,
  TektonAddon,
  TektonChain,
  TektonDashboard,
  TektonPipeline,
  TektonPruner,
  TektonResult,
  TektonTrigger,
} from '../kinds/kinds.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import type { Platform } from '../platform/platform.ts';
import {
  defaultAddon,
  defaultChain,
  defaultEventPruner,
  defaultTrigger,
} from '../rules/defaults/default-components.ts';
import { defaultPipeline } from '../rules/defaults/default-pipeline.ts';
import { defaultTektonConfig } from '../rules/defaults/default-tekton-config.ts';
import { defaultPipelinesAsCode } from '../rules/pipelines-as-code-settings.ts';
import { typedKind } from './typed-kind.ts';
import { validateChain } from '../rules/validation/validate-chain.ts';
import { validateEventPruner } from '../rules/validation/validate-event-pruner.ts';
import { validatePipeline } from '../rules/validation/validate-pipeline.ts';
import { validatePipelinesAsCode } from '../rules/validation/validate-pipelines-as-code.ts';
import { validateResult } from '../rules/validation/validate-result.ts';
import {
  singletonName,
  targetNamespace,
  validateNetworkPolicy,
  validateOptions,
} from '../rules/validation/validate-shared.ts';
import { validateAddonParams, validateTektonConfig } from '../rules/validation/validate-tekton-config.ts';
import { validateTriggerSettings } from '../rules/validation/validate-trigger.ts';

type SpecOf<T> = T extends { readonly spec?: infer S } ? NonNullable<S> : never;

/** How objects of one kind are filled in and checked. */
interface KindChecks<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly applyDefaults: (spec: SpecOf<T>, platform: Platform) => SpecOf<T>;
  readonly validate: (object: T & { readonly spec: SpecOf<T> }, old: T | undefined, platform: Platform) => FieldErrors;
}

function checks<T extends KubeObject>(kindChecks: KindChecks<T>): KindChecks<KubeObject> {
  return kindChecks as unknown as KindChecks<KubeObject>;
}

const named = ({ metadata }: KubeObject, kind: string, expected: string, gap: ' ' | '  ') =>
  singletonName(metadata.name ?? '', kind, expected, gap);

const everywhere: readonly KindChecks<KubeObject>[] = [
  checks<TektonConfig>({
    kind: TektonConfig,
    applyDefaults: defaultTektonConfig,
    validate: validateTektonConfig,
  }),
  checks<TektonPipeline>({
    kind: TektonPipeline,
    applyDefaults: defaultPipeline,
    validate: (object, _, platform) =>
      named(object, 'TektonPipeline', 'pipeline', ' ').also(
        targetNamespace(object.spec.targetNamespace, platform),
        validatePipeline(object.spec, 'spec'),
        validateOptions(object.spec.options, 'spec'),
        validateNetworkPolicy(object.spec.networkPolicy),
      ),
  }),
  checks<TektonTrigger>({
    kind: TektonTrigger,
    applyDefaults: defaultTrigger,
    validate: (object, _, platform) =>
      named(object, 'TektonTrigger', 'trigger', '  ').also(
        targetNamespace(object.spec.targetNamespace, platform),
        validateNetworkPolicy(object.spec.networkPolicy),
        validateTriggerSettings(object.spec, 'spec'),
      ),
  }),
  checks<TektonResult>({
    kind: TektonResult,
    applyDefaults: ({ tls_hostname_override: _gone, ...spec }) => spec,
    validate: (object) => {
      const wrongName = named(object, 'TektonResult', 'result', ' ');
      if (!wrongName.isEmpty) return wrongName;
      return validateResult(object.spec).also(validateNetworkPolicy(object.spec.networkPolicy));
    },
  }),
  checks<TektonChain>({
    kind: TektonChain,
    applyDefaults: defaultChain,
    validate: (object, _, platform) =>
      named(object, 'TektonChain', 'chain', ' ').also(
        targetNamespace(object.spec.targetNamespace, platform),
        validateChain(object.spec),
        validateNetworkPolicy(object.spec.networkPolicy),
      ),
  }),
  checks<TektonPruner>({
    kind: TektonPruner,
    applyDefaults: defaultEventPruner,
    validate: (object, _, platform) =>
      (object.spec.disabled ? noFieldErrors : named(object, 'TektonPruner', 'pruner', ' ')).also(
        targetNamespace(object.spec.targetNamespace, platform),
        validateEventPruner(object.spec, 'spec.pruner'),
        validateNetworkPolicy(object.spec.networkPolicy),
      ),
  }),
];

const onKubernetes = [
  checks<TektonDashboard>({
    kind: TektonDashboard,
    applyDefaults: (spec) => spec,
    validate: (object, _, platform) =>
      named(object, 'TektonDashboard', 'dashboard', '  ').also(targetNamespace(object.spec.targetNamespace, platform)),
  }),
];

const onOpenShift = [
  checks<TektonAddon>({
    kind: TektonAddon,
    applyDefaults: defaultAddon,
    validate: (object, _, platform) =>
      named(object, 'TektonAddon', 'addon', '  ').also(
        targetNamespace(object.spec.targetNamespace, platform),
        validateAddonParams(object.spec.params, 'spec.params'),
      ),
  }),
  checks<OpenShiftPipelinesAsCode>({
    kind: OpenShiftPipelinesAsCode,
    applyDefaults: (spec) => defaultPipelinesAsCode({ additionalPACControllers: {}, ...spec }),
    validate: (object, _, platform) =>
      targetNamespace(object.spec.targetNamespace, platform).also(
        validatePipelinesAsCode(object.spec, 'spec'),
        validateNetworkPolicy(object.spec.networkPolicy),
      ),
  }),
];

/**
 * The webhooks of the operator's kinds, under upstream's names and paths.
 *
 * @example operatorWebhooks('kubernetes')
 */
export function operatorWebhooks(platform: Platform): readonly AdmissionWebhook[] {
  const all = [...everywhere, ...(platform === 'openshift' ? onOpenShift : onKubernetes)];
  return [
    defaultingWebhook({
      name: 'webhook.operator.tekton.dev',
      strict: true,
      rules: all.map((item) => defaultingRule(item, platform)),
    }),
    validatingWebhook({
      name: 'validation.webhook.operator.tekton.dev',
      strict: true,
      rules: all.map((item) => validatingRule(item, platform)),
    }),
  ];
}

function defaultingRule({ kind, applyDefaults }: KindChecks<KubeObject>, platform: Platform): DefaultingRule {
  const subresources = ['status'];
  return defaulting(
    typedKind(kind),
    (object) => {
      const defaulted = { ...object, spec: completeSpec(kind, object, applyDefaults, platform) } as KubeObject;
      return equalJson(object, defaulted) ? undefined : defaulted;
    },
    { subresources },
  );
}

function validatingRule({ kind, validate }: KindChecks<KubeObject>, platform: Platform): ValidatingRule {
  const check = (object: KubeObject, { old }: { readonly old: KubeObject | undefined }) =>
    validate({ spec: {}, ...object } as never, old as never, platform);
  return validating(typedKind(kind), check, { subresources: ['status'] });
}

function completeSpec(
  kind: Kind,
  object: KubeObject,
  applyDefaults: KindChecks<KubeObject>['applyDefaults'],
  platform: Platform,
): unknown {
  const schema = kind.fields?.spec;
  const spec = booleansAsTexts((object as { readonly spec?: object }).spec);
  return printAsGo(applyDefaults(printAsGo(spec, schema) as never, platform), schema);
}

/** Two settings of Chains are texts that may be written as booleans. */
function booleansAsTexts(spec: object | undefined): object | undefined {
  if (!spec) return spec;
  const chain = (spec as { readonly chain?: object }).chain;
  const fixed = withTexts(spec);
  return chain && typeof chain === 'object' ? { ...fixed, chain: withTexts(chain) } : fixed;
}

function withTexts(fields: object): object {
  let result = fields as Readonly<Record<string, unknown>>;
  for (const key of ['transparency.enabled', 'artifacts.pipelinerun.enable-deep-inspection'])
    if (typeof result[key] === 'boolean') result = { ...result, [key]: String(result[key]) };
  return result;
}
