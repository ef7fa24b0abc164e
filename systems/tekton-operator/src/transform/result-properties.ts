import { type ResultSettings, resultFields } from '../kinds/result-fields.ts';

const notProperties = ['disabled', 'loki_stack_name', 'loki_stack_namespace', 'watcher', 'performance', 'options'];
const names = Object.keys(resultFields).filter((name) => !notProperties.includes(name));

/** Settings of the server of Results, as it calls them. What is always there in upstream's struct is always here. */
export function apiProperties(settings: ResultSettings, namespace: string): ReadonlyMap<string, string> {
  const properties = new Map<string, string>(lokiProperties(settings));
  if (!settings.is_external_db)
    properties.set('DB_HOST', `tekton-results-postgres-service.${namespace}.svc.cluster.local`);
  const given: Readonly<Record<string, unknown>> = {
    logging_plugin_tls_verification_disable: false,
    ...settings,
  };
  for (const name of names) {
    const value = given[name];
    if (value !== undefined && value !== '')
      properties.set(name.toUpperCase(), String(value as string | number | boolean));
  }
  return properties;
}

function lokiProperties({
  loki_stack_name: stack,
  loki_stack_namespace: namespace,
}: ResultSettings): readonly [string, string][] {
  if (!stack || !namespace) return [];
  return [
    ['LOGS_API', 'true'],
    ['LOGS_TYPE', 'loki'],
    ['LOGGING_PLUGIN_PROXY_PATH', '/api/logs/v1/application'],
    ['LOGGING_PLUGIN_API_URL', `https://${stack}-gateway-http.${namespace}.svc.cluster.local:8080`],
    ['LOGGING_PLUGIN_TOKEN_PATH', '/var/run/secrets/kubernetes.io/serviceaccount/token'],
    ['LOGGING_PLUGIN_NAMESPACE_KEY', 'kubernetes_namespace_name'],
    ['LOGGING_PLUGIN_STATIC_LABELS', 'log_type=application'],
    ['LOGGING_PLUGIN_FORWARDER_DELAY_DURATION', '10'],
  ];
}
