import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isClientError } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { terminalText } from './terminal-text.ts';
import { explainFileError, UserError } from './user-error.ts';

/** An error as the user reads it. */
export interface ErrorReport {
  readonly sentence: string;
  readonly exitCode: number;
  /** It is ours to fix: the stack is worth having. */
  readonly isBug: boolean;
}

/** Turns any error into a sentence. The only place that decides what users read of an error that no command handled. */
export function describeError(error: unknown): ErrorReport {
  if (error instanceof UserError) return report(error.message, error.exitCode);
  if (isBranded(error, 'ManifestError')) return report(error.message, isInputError(error) ? 2 : 1);
  if (isBranded(error, 'SimulationError')) return report(error.message, isScenarioError(error) ? 2 : 1);
  if (isBranded(error, 'ImageStoreError')) return report(error.message, isReferenceError(error) ? 2 : 1);
  if (isBranded(error, 'RuntimeError') || isClientError(error) || isStatusError(error)) return report(error.message);
  const file = explainFileError(error, '');
  const { path, syscall = '', message } = asError(error);
  if (file !== undefined && path && !syscall.startsWith('spawn')) return report(`${file}${temporaryHint(file)}`);
  if (file !== undefined && syscall === 'write') return report(file.replace(/^: /, ''));
  return { sentence: `internal error: ${message}`, exitCode: 1, isBug: true };
}

function report(sentence: string, exitCode: number = 1): ErrorReport {
  return { sentence, exitCode, isBug: false };
}

/** Errors of rooms that most commands do not load are recognised by their brand alone. */
function isBranded(error: unknown, name: string): error is Error {
  return typeof error === 'object' && error !== null && Symbol.for(`tektite.${name}`) in error;
}

function isInputError(error: Error): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['SOURCE', 'PARSE', 'DUPLICATE'].includes(code);
}

/** A file of a simulation that is not valid. */
function isScenarioError(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'SCENARIO_INVALID';
}

/** The name of an image that cannot be one. */
function isReferenceError(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'INVALID_REFERENCE';
}

function asError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}

function temporaryHint(sentence: string): string {
  return sentence.startsWith(join(tmpdir(), 'tektite-')) ? '; set TMPDIR to a folder with more room' : '';
}

/** Whether stacks are wanted. */
export function wantsStacks(): boolean {
  return !['', '0', undefined].includes(process.env['TEKTITE_DEBUG']);
}

/** The lines for an error: one sentence; for a bug also how to get the stack, or the stack itself. */
export function errorText(error: unknown, prefix: string = 'tektite'): string {
  const { sentence, isBug } = describeError(error);
  if (wantsStacks()) return `${prefix}: ${terminalText(sentence)}\n${terminalText(asError(error).stack ?? '')}\n`;
  const hint = isBug ? ' (a bug of tektite; TEKTITE_DEBUG=1 prints the stack)' : '';
  return `${prefix}: ${terminalText(oneLine(sentence))}${hint}\n`;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
