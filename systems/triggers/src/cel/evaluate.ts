import { timingSafeEqual } from 'node:crypto';
import { quoteGo } from '@tektite/meta';
import {
  celEnvironment,
  type Compilation,
  costBudget,
  dynType,
  EvaluationError,
  mapType,
  stringType,
  type Value,
} from '@tektite/schema';
import type { SecretReader, SecretRef } from '../secrets/secret-reader.ts';
import { triggersLibrary } from './triggers-library.ts';

/** The variables of an expression. */
export type Variables = Readonly<Record<'body' | 'header' | 'extensions' | 'requestURL', Value>>;

/** A Secret that an evaluation needs and does not have yet. No operator of CEL absorbs it. */
class MissingSecret extends Error {
  readonly ref: SecretRef;
  constructor(ref: SecretRef) {
    super('a Secret must be read first');
    this.ref = ref;
  }
}

type Secrets = Map<string, Uint8Array | Error>;

/** The Secrets of the evaluation that runs now. Evaluation is synchronous, so there is one at a time. */
let current: Secrets = new Map();

const keyOf = ({ secretKey, secretName }: SecretRef): string => JSON.stringify([secretName, secretKey]);

function compareSecret(text: string, secretKey: string, secretName: string): boolean {
  const ref = { secretKey, secretName };
  const secret = current.get(keyOf(ref));
  if (secret === undefined) throw new MissingSecret(ref);
  if (secret instanceof Error) {
    const shown = `v1beta1.SecretRef{SecretKey:${quoteGo(secretKey)}, SecretName:${quoteGo(secretName)}}`;
    throw new EvaluationError(`failed to find secret '${shown}' in compareSecret: ${secret.message}`);
  }
  const given = Buffer.from(text);
  return given.length === secret.length && timingSafeEqual(given, secret);
}

const map = mapType(stringType, dynType);
const environment = celEnvironment({
  isPlain: true,
  hasExtensions: true,
  functions: triggersLibrary(compareSecret),
  variables: { body: map, header: map, extensions: map, requestURL: stringType },
});

const compiled = new Map<string, Compilation>();
const maxCompiled = 1000;

function compile(text: string): Compilation {
  const known = compiled.get(text);
  if (known) return known;
  const result = environment.compile(text);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(text, result);
  return result;
}

/**
 * Evaluates an expression. Secrets that `compareSecret` names are read when an evaluation asks for them, and the expression is
 * evaluated again; `read` must be bound to the namespace of the trigger.
 *
 * An evaluation has a budget, so that no expression stops the process. Errors have upstream's messages.
 */
export async function evaluate(expression: string, variables: Variables, read: SecretReader): Promise<Value> {
  const { program, ...failed } = compile(expression);
  if (!program) {
    const { phase, error } = failed as { readonly phase: string; readonly error: string };
    const quoted = quoteGo(expression);
    throw new Error(
      phase === 'parse'
        ? `failed to parse expression ${quoted}: ${error}`
        : `expression ${quoted} check failed: ${error}`,
    );
  }
  const secrets: Secrets = new Map();
  for (;;) {
    try {
      current = secrets;
      const { value, error } = program.run((name) => variables[name as keyof Variables], costBudget);
      if (error)
        throw new Error(`expression ${quoteGo(expression)} failed to evaluate: ${error.message}`, { cause: error });
      return value as Value;
    } catch (error) {
      if (!(error instanceof MissingSecret)) throw error;
      secrets.set(keyOf(error.ref), await read(error.ref).catch((failure: unknown) => failure as Error));
    } finally {
      current = new Map();
    }
  }
}
