import { type InferType, type JsonSchema, type Schema, s } from '@tektite/schema';
import { builtinSchema } from '@tektite/schema/kubernetes';
import type {
  ConfigMap,
  Deployment,
  EnvVar,
  HorizontalPodAutoscaler,
  NetworkPolicySpec,
  StatefulSet,
  Toleration,
} from '@tektite/schema/kubernetes';
import { plainSchema } from './plain-schema.ts';

/*
 * Fields are in the order in which upstream's structs declare them: hashes of specs depend on it.
 */

/** A field that may be absent. */
export const text = (): Schema<string, true> => s.string().optional();
export const flag = (): Schema<boolean, true> => s.boolean().optional();
export const whole = (format?: 'int32' | 'int64'): Schema<number, true> =>
  s.integer(format ? { format } : {}).optional();
export const texts = (): Schema<Readonly<Record<string, string>>, true> => s.map(s.string()).optional();

const anything = <T>(): Schema<T, true> => s.raw<T>({ 'x-kubernetes-preserve-unknown-fields': true }).optional();
const builtin = (key: string): JsonSchema => plainSchema(builtinSchema(key));

/** Part of an object: what a user writes over what a release says. */
export type Partially<T> = { readonly [K in keyof T]?: T[K] extends object | undefined ? Partially<T[K]> : T[K] };

/** How one webhook configuration is to be changed. */
export const webhookOptions = s.object({
  failurePolicy: text(),
  timeoutSeconds: whole('int32'),
  sideEffects: text(),
});

/** `options`: what is laid over a component's objects, after everything else. */
export const options = s.object({
  disabled: flag(),
  configMaps: anything<Readonly<Record<string, Partially<ConfigMap>>>>(),
  deployments: anything<Readonly<Record<string, Partially<Deployment>>>>(),
  horizontalPodAutoscalers: anything<Readonly<Record<string, Partially<HorizontalPodAutoscaler>>>>(),
  statefulSets: anything<Readonly<Record<string, Partially<StatefulSet>>>>(),
  webhookConfigurationOptions: s.map(webhookOptions).optional(),
});
export type AdditionalOptions = InferType<typeof options>;

/** `performance`: replicas, buckets and the flags of a controller. */
export const performance = s.object({
  buckets: whole(),
  'statefulset-ordinals': flag(),
  'disable-ha': s.boolean(),
  'threads-per-controller': whole(),
  'kube-api-qps': s.number().optional(),
  'kube-api-burst': whole(),
  replicas: whole('int32'),
});
export type Performance = InferType<typeof performance>;

/** `config`: where Pods of components run. */
export const scheduling = s.object({
  nodeSelector: texts(),
  tolerations: s.list(s.raw<Toleration>(builtin('core/v1.Toleration'))).optional(),
  priorityClassName: text(),
});
export type Scheduling = InferType<typeof scheduling>;

export const param = s.object({ name: text(), value: text() });
export type Param = InferType<typeof param>;
export const params = s.list(param);

export const networkPolicy = s.object({
  disabled: flag().inGo('value'),
  policies: s
    .raw<Readonly<Record<string, NetworkPolicySpec>>>({
      type: 'object',
      additionalProperties: builtin('networking/v1.NetworkPolicySpec'),
      'x-kubernetes-preserve-unknown-fields': true,
    })
    .optional(),
});
export type NetworkPolicyConfig = InferType<typeof networkPolicy>;

export const environment = s.list(s.raw<EnvVar>(builtin('core/v1.EnvVar')));

/** The common fields of all component specs. */
export const placement = {
  targetNamespace: text(),
  config: scheduling.optional(),
  networkPolicy: networkPolicy.optional(),
};

/** The value of a parameter, or nothing; the last of a name counts. */
export function paramValue(params: readonly Param[] | undefined, name: string): string | undefined {
  return params?.findLast((item) => item.name === name)?.value;
}
