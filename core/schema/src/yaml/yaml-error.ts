import { defineErrors } from '@tektite/meta';
import type { YAMLError } from 'yaml';

export const yamlErrors = defineErrors('schema', 'YamlError', {
  INVALID_YAML: {
    when: 'a text is no YAML, or YAML that cannot be JSON',
    fix: 'correct the line that the message names',
  },
});

/** A text that is no YAML, or YAML that cannot be JSON. The message is close to what Kubernetes says. */
export class YamlError extends yamlErrors.Error {
  /** From 1; undefined for an error without a position. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The message without a place: libyaml's line is not always the line of the file. */
  readonly problem: string;

  constructor(message: string, place?: { readonly line: number; readonly column: number }) {
    super('INVALID_YAML', message);
    this.line = place?.line;
    this.column = place?.column;
    this.problem = message.replace(/^yaml: (?:line \d+: )?/, '');
  }
}

/** Whether `error` is a YamlError. */
export function isYamlError(error: unknown): error is YamlError {
  return yamlErrors.is(error);
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where libyaml detects an error decides which line it reports: its scanner counts from one, its parser from zero. */
type Finder = 'scanner' | 'parser';

interface Diagnosis {
  readonly finder: Finder;
  readonly message: string;
  /** The offset libyaml points to. */
  readonly offset: number;
  /** The offset that users are shown; by default where the parser found the error. */
  readonly shown?: number;
}

/**
 * The first error of the parser, in libyaml's words, which users of kubectl know and search for.
 *
 * @param placeOf the place of an offset in the text
 */
export function describeSyntaxError(
  errors: readonly YAMLError[],
  text: string,
  placeOf: (offset: number) => Place,
): YamlError {
  const { finder, message, offset, shown } = diagnose(errors, text);
  const { line } = placeOf(offset);
  const reported = finder === 'scanner' && line > 1 ? line : line - 1;
  const where = reported > 0 ? `line ${reported}: ` : '';
  return new YamlError(`yaml: ${where}${message}`, placeOf(shown ?? (errors[0] as YAMLError).pos[0]));
}

function diagnose(errors: readonly YAMLError[], text: string): Diagnosis {
  const error = errors[0] as YAMLError;
  const [start, end] = error.pos;
  const scanner = (message: string, offset = start): Diagnosis => ({ finder: 'scanner', message, offset });
  const parser = (message: string, offset = start): Diagnosis => ({ finder: 'parser', message, offset });
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return endsInPlainScalar(text.slice(0, start))
        ? scanner('found a tab character that violates indentation')
        : scanner('found character that cannot start any token');
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY': {
      if (text.startsWith('- ', start)) return parser('did not find expected key');
      if (text.startsWith('? ', start)) return scanner('mapping keys are not allowed in this context');
      const multiline = errors.find(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === start);
      const shown = multiline?.pos[1] ?? start;
      return { ...scanner('mapping values are not allowed in this context', shown), shown };
    }
    case 'BAD_SCALAR_START':
      return scanner('found character that cannot start any token');
    case 'BAD_DQ_ESCAPE':
      return scanner('found unknown escape character');
    case 'MISSING_CHAR':
      if (error.message.includes('quote')) return scanner('found unexpected end of stream', text.length);
      if (error.message.includes('map values')) return scanner("could not find expected ':'", skipSpace(text, end));
      if (/flow map/i.test(error.message)) return parser("did not find expected ',' or '}'");
      if (/flow sequence/i.test(error.message)) return parser("did not find expected ',' or ']'");
      return parser(error.message);
    case 'BAD_INDENT':
      if (error.message.startsWith('Flow sequence')) return parser("did not find expected ',' or ']'");
      if (error.message.startsWith('Flow map')) return parser("did not find expected ',' or '}'");
      if (error.message.includes('sequence items')) return parser("did not find expected '-' indicator");
      return parser('did not find expected key', skipSpace(text, start));
    case 'UNEXPECTED_TOKEN':
      if (/^-\s/.test(text.slice(start, start + 2)))
        return scanner('block sequence entries are not allowed in this context');
      return parser(unexpectedToken(error.message, text, start));
    case 'BLOCK_IN_FLOW':
      return parser('did not find expected node content');
    default:
      // The parser is recursive and reports its own exhaustion as an error of the text.
      if (error.message.includes('call stack')) return parser('exceeded max depth');
      return parser(error.message);
  }
}

function unexpectedToken(message: string, text: string, start: number): string {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (line.trimEnd().endsWith(':')) return 'did not find expected node content';
  if (line.trim() !== '') return 'did not find expected key';
  if (!message.includes('at node end')) {
    return text.slice(0, start).trim() === '' ? 'did not find expected node content' : 'did not find expected key';
  }
  return /^\s*-\s/.test(text) ? "did not find expected '-' indicator" : 'did not find expected <document start>';
}

/** Whether the text before a line's indentation ends in a plain scalar, which the next line would continue. */
function endsInPlainScalar(before: string): boolean {
  const line = before.trimEnd().split('\n').at(-1) ?? '';
  return line !== '' && !/[:\-?|>\]}"',[{]$/.test(line);
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++;
  return at;
}
