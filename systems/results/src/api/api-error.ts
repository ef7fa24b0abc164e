/** The codes of gRPC that are used here. */
export const codes = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

type Code = (typeof codes)[keyof typeof codes];

/** The error that a client gets instead of an answer. The texts are upstream's. */
export class ApiError extends Error {
  readonly code: Code;
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const invalidArgument = (message: string): ApiError => new ApiError(codes.invalidArgument, message);
export const notFound = (): ApiError => new ApiError(codes.notFound, 'record not found');
