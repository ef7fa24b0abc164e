import { ConfigError } from './config-error.ts';
import { type ConfigField, readField } from './config-fields.ts';
import { freezePlain } from './freeze-plain.ts';

/** The texts of a ConfigMap, without the key `_example`. */
export type ConfigData = Readonly<Record<string, string>>;

/**
 * A ConfigMap with a type: one value for the controllers that follow it and for the webhook that refuses bad ones.
 * `parse` gets what is there and fills in the rest; it throws a `ConfigError` that says what is wrong.
 */
export interface ConfigDefinition<T = unknown> {
  /** The name of the ConfigMap. */
  readonly name: string;
  /** Gives a frozen value. */
  parse(data: ConfigData): T;
}

/** A key with a parser and what holds when it is absent. */
export interface ConfigKey<T> {
  readonly key: string;
  readonly field: ConfigField<T>;
  readonly fallback: T;
}

/**
 * A key of a ConfigMap. Only an absent key has the fallback; an empty one is read like any other, as upstream does.
 *
 * @example
 * configKey('default-timeout-minutes', integerField({ minimum: 0 }), 60)
 */
export function configKey<T>(key: string, field: ConfigField<T>, fallback: NoInfer<T>): ConfigKey<T> {
  return { key, field, fallback };
}

type ConfigKeys = Readonly<Record<string, ConfigKey<unknown>>>;
export type ConfigOf<D> = D extends ConfigDefinition<infer T> ? T : never;
type ValuesOf<K extends ConfigKeys> = { readonly [N in keyof K]: K[N] extends ConfigKey<infer T> ? T : never };

export interface ConfigOptions<K extends ConfigKeys, T> {
  readonly name: string;
  readonly keys: K;
  /** Checks what no key can check alone, and gives the value its final form. Throws an Error that says what is wrong. */
  readonly check?: (values: ValuesOf<K>, data: ConfigData) => T;
  /** Whether keys that are not in `keys` are refused. Default: they are ignored, as upstream does. */
  readonly strict?: boolean;
}

/**
 * Defines a typed ConfigMap by its keys. All errors are reported at once.
 *
 * @example const featureFlags = defineConfig({ name: 'feature-flags', keys: {
 *     apiFields: configKey('enable-api-fields', enumField('alpha', 'beta', 'stable'), 'beta'),
 *     affinity: configKey('disable-affinity-assistant', booleanField(), false), }, }); type FeatureFlags =
 *     ConfigOf<typeof featureFlags>; // { apiFields: 'alpha' | 'beta' | 'stable'; affinity: boolean }
 */
export function defineConfig<const K extends ConfigKeys, T = ValuesOf<K>>(
  options: ConfigOptions<K, T>,
): ConfigDefinition<T> {
  const { name, keys, check, strict = false } = options;
  const known = new Set(Object.values(keys).map(({ key }) => key));
  return {
    name,
    parse(data) {
      const errors: ConfigError[] = [];
      const values = Object.fromEntries(
        Object.entries(keys).map(([field, key]) => [field, read(data, key, errors)]),
      ) as ValuesOf<K>;
      if (strict)
        for (const key of Object.keys(data))
          if (!known.has(key))
            errors.push(new ConfigError(`key ${JSON.stringify(key)}: there is no such setting`, key));
      if (errors.length > 0) throw together(errors);
      return freezePlain(check ? checked(check, values, data) : (values as T));
    },
  };
}

/** A typed ConfigMap with a custom parser. Its exceptions are reported as a {@link ConfigError}. */
export function customConfig<T>(name: string, parse: (data: ConfigData) => T): ConfigDefinition<T> {
  return { name, parse: (data) => freezePlain(asConfigError(() => parse(data))) };
}

function read(data: ConfigData, { key, field, fallback }: ConfigKey<unknown>, errors: ConfigError[]): unknown {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  if (text === undefined) return fallback;
  try {
    return readField(key, text, field);
  } catch (error) {
    errors.push(error as ConfigError);
    return fallback;
  }
}

function checked<V, T>(check: (values: V, data: ConfigData) => T, values: V, data: ConfigData): T {
  return asConfigError(() => check(values, data));
}

function asConfigError<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(cause instanceof Error ? cause.message : String(cause), undefined, { cause });
  }
}

function together(errors: readonly ConfigError[]): ConfigError {
  const [first] = errors;
  if (errors.length === 1) return first as ConfigError;
  return new ConfigError(errors.map(({ message }) => message).join('; '));
}
