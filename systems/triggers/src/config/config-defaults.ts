import { ConfigError, type ConfigOf, customConfig } from '@tektite/controller/config';
import { quoteGo } from '@tektite/meta';

const bools: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/**
 * The ConfigMap `config-defaults-triggers`. Upstream also gives the listener's Pod a user and groups; there is no such
 * Pod here, so these are only checked.
 */
export const configDefaults = customConfig('config-defaults-triggers', (data) => {
  const id = (key: string, what: string) => {
    const text = data[key];
    if (text === undefined || text === '' || /^[+-]?\d{1,18}$/.test(text)) return;
    throw new ConfigError('INVALID_VALUE', `failed parsing ${what} config ${quoteGo(text)}`);
  };
  id('default-run-as-user', 'runAsUser');
  id('default-run-as-group', 'runAsGroup');
  id('default-fs-group', 'fsGroup');
  const nonRoot = data['default-run-as-non-root'] ?? '';
  if (nonRoot !== '' && !Object.hasOwn(bools, nonRoot))
    throw new ConfigError('INVALID_VALUE', `failed parsing runAsNonRoot config ${quoteGo(nonRoot)}`);
  return { serviceAccount: data['default-service-account'] ?? 'default' };
});

export type ConfigDefaults = ConfigOf<typeof configDefaults>;

/** Without a ConfigMap. */
export const standardDefaults: ConfigDefaults = configDefaults.parse({});
