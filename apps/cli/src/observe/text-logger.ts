import type { LogFields, Logger } from '@tektite/controller';
import pc from 'picocolors';
import { describeError, wantsStacks } from '../report-error.ts';
import { terminalText } from '../terminal-text.ts';

/**
 * Warnings and errors as lines for people: the component, the object, the message, the error as a sentence. Stacks only with
 * TEKTITE_DEBUG. `write` gets whole lines without their ends.
 */
export function textLogger(write: (line: string) => void, fields: LogFields = {}): Logger {
  const at =
    (level: string) =>
    (message: string, more: LogFields = {}) =>
      write(`${level}: ${terminalText(logLine(message, { ...fields, ...more }))}`);
  return {
    debugs: false,
    debug: () => undefined,
    info: () => undefined,
    warn: at(pc.yellow('warning')),
    error: at(pc.red('error')),
    with: (more) => textLogger(write, { ...fields, ...more }),
  };
}

function logLine(message: string, { controller, kind, namespace, name, error }: LogFields): string {
  const object = name
    ? [kind ?? controller, [namespace, name].filter(Boolean).join('/')].filter(Boolean).join(' ')
    : controller;
  const head = object ? `${object}: ${message}` : message;
  if (error === undefined) return head;
  const stack = wantsStacks() && error instanceof Error ? `\n${error.stack}` : '';
  return `${head}: ${describeError(error).sentence.replaceAll(/\s*\n\s*/g, ' ')}${stack}`;
}
