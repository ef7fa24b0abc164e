import { ConfigError, type ConfigOf, customConfig, isConfigError } from '@tektite/controller/config';
import { SettingReader } from './setting-reader.ts';

const defaultEndpoint = 'http://jaeger-collector.jaeger.svc.cluster.local:4318/v1/traces';

/** Whether and where traces are sent, from the ConfigMap `config-tracing`. */
export const tracingConfig = customConfig('config-tracing', (data) => {
  const read = new SettingReader(data);
  return {
    isEnabled: readEnabled(read),
    /** Where a collector takes OTLP over HTTP. */
    endpoint: read.text('endpoint', defaultEndpoint),
    /** The Secret with `username` and `password`; empty: none are sent. */
    credentialsSecret: read.text('credentialsSecret', ''),
  };
});

export type TracingConfig = ConfigOf<typeof tracingConfig>;

function readEnabled(read: SettingReader): boolean {
  try {
    return read.flag('enabled', false);
  } catch (error) {
    if (!isConfigError(error)) throw error;
    throw new ConfigError(error.message.replace('feature flags', 'tracing'), 'enabled', { cause: error });
  }
}
