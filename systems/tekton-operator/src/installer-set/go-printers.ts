import { compareGoStrings, decodeStruct, formatGoDuration, goJson, goStructJson, parseGoDuration } from '@tektite/go';
import { definitionOf } from '@tektite/schema/kubernetes';

/** JSON of a field as Go prints it. */
export type GoPrinter = (value: unknown) => string;

/** A struct of Kubernetes, with what Go always prints of it (`"strategy":{}`). */
const struct =
  (key: string): GoPrinter =>
  (value) =>
    goStructJson(decodeStruct(definitionOf(key), value, { strict: false }));

const mapOf =
  (print: GoPrinter): GoPrinter =>
  (value) =>
    `{${Object.entries((value ?? {}) as object)
      .sort(([a], [b]) => compareGoStrings(a, b))
      .map(([name, item]) => `${goJson(name)}:${print(item)}`)
      .join(',')}}`;

const listOf =
  (print: GoPrinter): GoPrinter =>
  (value) =>
    `[${((value ?? []) as readonly unknown[]).map(print).join(',')}]`;

const duration: GoPrinter = (value) => {
  try {
    return goJson(formatGoDuration(parseGoDuration(String(value))));
  } catch {
    // Upstream could not have stored it.
    return goJson(value);
  }
};

/** A struct of which every field is dropped when it is empty, in this order; with maps and lists of such structs. */
function sparse(fields: Readonly<Record<string, GoPrinter>>): GoPrinter {
  return (value) => {
    const given = (value ?? {}) as Readonly<Record<string, unknown>>;
    const kept = Object.keys(fields).filter((name) => !isEmpty(given[name]));
    return `{${kept.map((name) => `${goJson(name)}:${fields[name]?.(given[name])}`).join(',')}}`;
  };
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const withoutEmptyTexts = (value: unknown) =>
  Object.fromEntries(Object.entries((value ?? {}) as object).filter(([, text]) => text !== ''));

const additionalController = sparse({ enable: goJson, configMapName: goJson, secretName: goJson, settings: goJson });

const limits = {
  enforcedConfigLevel: goJson,
  ttlSecondsAfterFinished: goJson,
  successfulHistoryLimit: goJson,
  failedHistoryLimit: goJson,
  historyLimit: goJson,
};
const selectors = listOf(sparse({ matchLabels: goJson, matchAnnotations: goJson }));
const resourceRules = listOf((value) => {
  const { name, ...rest } = (value ?? {}) as { readonly name?: string };
  return sparse({ name: goJson, selector: selectors, ...limits })({ ...rest, ...withoutEmptyTexts({ name }) });
});
const namespaceRules = sparse({ ...limits, pipelineRuns: resourceRules, taskRuns: resourceRules });

/**
 * The fields of specs whose schema does not say how Go prints them, by their paths: those that are structs of Kubernetes, of the
 * event pruner, and durations.
 */
export const goPrinters: Readonly<Record<string, GoPrinter>> = {
  additionalPACControllers: mapOf((value) => additionalController(withoutEmptyTexts(value))),
  'config.tolerations': listOf(struct('core/v1.Toleration')),
  controllerEnvs: listOf(struct('core/v1.EnvVar')),
  'global-config': sparse({ ...limits, namespaces: mapOf(namespaceRules) }),
  'networkPolicy.policies': mapOf(struct('networking/v1.NetworkPolicySpec')),
  'options.configMaps': mapOf(struct('core/v1.ConfigMap')),
  'options.deployments': mapOf(struct('apps/v1.Deployment')),
  'options.horizontalPodAutoscalers': mapOf(struct('autoscaling/v2.HorizontalPodAutoscaler')),
  'options.statefulSets': mapOf(struct('apps/v1.StatefulSet')),
  params: listOf((value) => sparse({ name: goJson, value: goJson })(withoutEmptyTexts(value))),
  'watcher.completed_run_grace_period': duration,
  'watcher.dynamic_reconcile_timeout': duration,
  'watcher.forward_buffer': duration,
  'watcher.requeue_interval': duration,
  'watcher.store_deadline': duration,
  'watcher.update_log_timeout': duration,
};
