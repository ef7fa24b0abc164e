/** Why a runtime cannot run containers on this machine. Codes are stable; the messages name what helps. */
export const runtimeErrorCodes = {
  TOOL_MISSING: 'a program that the runtime needs is not installed',
  ENGINE_FAILED: 'the container engine is installed and does not work',
  USER_NAMESPACES_FORBIDDEN: 'the kernel does not let ordinary users make user namespaces',
  NAMESPACES_FORBIDDEN: 'the kernel does not let this process make namespaces or mounts',
} as const;

export type RuntimeErrorCode = keyof typeof runtimeErrorCodes;

const brand = Symbol.for('tektite.RuntimeError');

export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  readonly [brand] = true;

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
  }
}

export function isRuntimeError(error: unknown, code?: RuntimeErrorCode): error is RuntimeError {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return code === undefined || (error as RuntimeError).code === code;
}
