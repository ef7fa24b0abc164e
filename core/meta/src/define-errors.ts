/** The description of one error code. `docs/errors.md` is generated from it. */
export interface ErrorDescription {
  /** The condition, as a clause: `the certificate of the server has expired`. */
  readonly when: string;
  /** The way out for the user or the programmer, as a clause in the imperative. */
  readonly fix: string;
}

/** An error with a stable code. Programs branch on the code, never on the message. */
export interface CodedError<Code extends string = string> extends Error {
  readonly code: Code;
}

/** The errors of one room: a class, its guard and its codes. */
export interface ErrorRegistry<Code extends string = string> {
  readonly room: string;
  /** The name of the class. It is also the `name` of its errors, and identifies them. */
  readonly name: string;
  readonly codes: Readonly<Record<Code, ErrorDescription>>;
  readonly Error: new (code: Code, message: string, options?: ErrorOptions) => CodedError<Code>;
  /** Whether `error` is of this registry, and has one of these codes if any are given. */
  readonly is: (error: unknown, ...codes: readonly Code[]) => error is CodedError<Code>;
}

/** The codes of a registry. */
export type ErrorCode<Registry extends { readonly codes: object }> = keyof Registry['codes'] & string;

/**
 * Defines the errors of a room. A code is unique in its registry, never changes its meaning and is never reused. Errors carry a
 * registered symbol, so that the guard recognises errors of another installed copy of the package: use it instead of `instanceof`.
 *
 * @example
 * export const clientErrors = defineErrors('client', 'ClientError', {
 *   TIMEOUT: { when: 'the response took too long', fix: 'try again, or raise the timeout' },
 * });
 * throw new clientErrors.Error('TIMEOUT', 'no response within 30 s', { cause });
 * if (clientErrors.is(error, 'TIMEOUT')) …
 */
export function defineErrors<const Code extends string>(
  room: string,
  name: string,
  codes: Readonly<Record<Code, ErrorDescription>>,
): ErrorRegistry<Code> {
  const brand = Symbol.for(`tektite.${name}`);

  class RegisteredError extends Error implements CodedError<Code> {
    readonly code: Code;
    readonly [brand] = true;

    constructor(code: Code, message: string, options?: ErrorOptions) {
      super(message, options);
      this.name = name;
      this.code = code;
    }
  }

  function is(error: unknown, ...wanted: readonly Code[]): error is CodedError<Code> {
    if (typeof error !== 'object' || error === null || !(brand in error)) return false;
    return wanted.length === 0 || wanted.includes((error as { readonly code?: Code }).code as Code);
  }

  return { room, name, codes, Error: RegisteredError, is };
}
