/** ConfigMaps with a type, reloaded as they change. */
export { ConfigError, configErrors, isConfigError } from './config-error.ts';
export {
  booleanField,
  type ConfigField,
  durationField,
  enumField,
  integerField,
  listField,
  numberField,
  quantityField,
  stringField,
  yamlField,
} from './config-fields.ts';
export { ConfigStore, type ConfigStoreOptions } from './config-store.ts';
export {
  type ConfigData,
  type ConfigDefinition,
  configKey,
  type ConfigOf,
  customConfig,
  defineConfig,
} from './define-config.ts';
export type { ConfigEvents, ConfigHealth } from './watched-config.ts';
