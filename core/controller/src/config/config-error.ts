const brand = Symbol.for('tektite.ConfigError');

/** A value of a ConfigMap that cannot be used. The message names the key, the value and what would be allowed. */
export class ConfigError extends Error {
  /** The key at fault; `undefined` when it is about several. */
  readonly key: string | undefined;
  readonly [brand] = true;

  constructor(message: string, key?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
    this.key = key;
  }
}

/** Whether `error` is a ConfigError. Holds across duplicate installs of this package. */
export function isConfigError(error: unknown): error is ConfigError {
  return typeof error === 'object' && error !== null && brand in error;
}
