import { defineErrors } from '@tektite/meta';

export const configErrors = defineErrors('controller', 'ConfigError', {
  INVALID_VALUE: {
    when: 'a value of a ConfigMap cannot be used',
    fix: 'correct the key that the message names; it also says what is allowed',
  },
});

/** A value of a ConfigMap that cannot be used. The message names the key, the value and what would be allowed. */
export class ConfigError extends configErrors.Error {
  /** The key at fault; `undefined` when it is about several. */
  readonly key: string | undefined;

  constructor(message: string, key?: string, options?: ErrorOptions) {
    super('INVALID_VALUE', message, options);
    this.key = key;
  }
}

/** Whether `error` is a ConfigError. */
export function isConfigError(error: unknown): error is ConfigError {
  return configErrors.is(error);
}
