/** Why this machine cannot run containers as processes. Codes are stable; the messages say what to do. */
export const hostRuntimeErrorCodes = {
  TOOL_MISSING: 'a program of util-linux is not installed',
  USER_NAMESPACES_FORBIDDEN: 'the kernel does not let ordinary users make user namespaces',
  NAMESPACES_FORBIDDEN: 'the kernel does not let this process make namespaces or mounts',
} as const;

export type HostRuntimeErrorCode = keyof typeof hostRuntimeErrorCodes;

const brand = Symbol.for('tektite.HostRuntimeError');

export class HostRuntimeError extends Error {
  readonly code: HostRuntimeErrorCode;
  readonly [brand] = true;

  constructor(code: HostRuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HostRuntimeError';
    this.code = code;
  }
}

export function isHostRuntimeError(error: unknown, code?: HostRuntimeErrorCode): error is HostRuntimeError {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return code === undefined || (error as HostRuntimeError).code === code;
}
