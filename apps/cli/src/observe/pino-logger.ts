import type { LogFields, Logger } from '@tektite/controller';
import { type Level, type Logger as Pino, pino, stdTimeFunctions } from 'pino';

/** The levels that can be asked for. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly Level[];
export type LogLevel = (typeof logLevels)[number];

/** Lines of JSON on standard error: `level`, `time`, `msg`, and the fixed keys of `LogFields`. */
export function pinoLogger(level: LogLevel): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    errorKey: 'error',
  };
  return adapt(pino(options, pino.destination({ fd: 2, sync: true })));
}

function adapt(log: Pino): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) =>
      log[level](fields, message);
  return {
    debugs: log.isLevelEnabled('debug'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => adapt(log.child(fields)),
  };
}
