/** The fields of a log line besides its message. Keys are fixed where they are listed in {@link LogFields}. */
export interface LogFields {
  readonly system?: string;
  readonly controller?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Which reconcile: the same in all lines of one. */
  readonly reconcile?: number;
  readonly attempt?: number;
  /** Why it was reconciled, as `describeCauses` writes it. */
  readonly causes?: string;
  readonly outcome?: string;
  readonly durationMs?: number;
  readonly error?: unknown;
  readonly [key: string]: unknown;
}

/** Where the runtime writes its log. The runtime has no opinion on the form; the command uses pino. */
export interface Logger {
  /** Whether `debug` is written at all; what is costly to say is left out otherwise. */
  readonly debugs: boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same, with these fields in every line. */
  with(fields: LogFields): Logger;
}

/** Says nothing. */
export const silentLogger: Logger = {
  debugs: false,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
};
