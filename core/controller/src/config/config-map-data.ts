import { crc32 } from 'node:zlib';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { ConfigError } from './config-error.ts';
import type { ConfigData, ConfigDefinition } from './define-config.ts';

/** Documentation that lives in the ConfigMap itself; it sets nothing. */
const exampleKey = '_example';
const checksumAnnotation = 'knative.dev/example-checksum';

/** The settings of a ConfigMap: all texts but the example. */
export function configData(configMap: Pick<ConfigMap, 'data'>): ConfigData {
  const data: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [key, text] of Object.entries(configMap.data ?? {})) if (key !== exampleKey) data[key] = text;
  return data;
}

/**
 * Checks a ConfigMap that is about to be stored. Throws a {@link ConfigError}. An example that was changed, while its
 * checksum was not, is rejected: its author meant to change a setting and edited its documentation.
 */
export function checkConfigMap(definition: ConfigDefinition, configMap: Pick<ConfigMap, 'data' | 'metadata'>): void {
  const example = configMap.data?.[exampleKey];
  const checksum = configMap.metadata?.annotations?.[checksumAnnotation];
  if (example !== undefined && checksum !== undefined && checksum !== exampleChecksum(example))
    throw new ConfigError(
      `the update modifies a key in "${exampleKey}" which is probably not what you want. Instead, copy the respective setting to the top-level of the ConfigMap, directly below "data"`,
      exampleKey,
    );
  definition.parse(configData(configMap));
}

/** Line breaks count as the two signs `\n`, however many there are: that is what upstream hashes. */
export function exampleChecksum(example: string): string {
  return crc32(example.trim().replaceAll(/(?:\r?\n)+/g, '\\n'))
    .toString(16)
    .padStart(8, '0');
}
