import type { Param, ParamSpec } from '../kinds/param.ts';
import { unmarshal } from '../json/unmarshal.ts';
import { findExpressions } from './find-expressions.ts';
import { readPath } from './read-path.ts';

/** The headers of a request: canonical names, each with all its values. */
export type Headers = Readonly<Record<string, readonly string[]>>;

/** An event after its interceptors. */
export interface TriggerEvent {
  readonly body: string;
  readonly headers: Headers;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly eventId: string;
}

/**
 * The values of all parameters: defaults of the template, overwritten by what the bindings read from the event. A path that
 * leads nowhere gives the default of its parameter, and is an error if that has none.
 */
export function resolveParams(
  params: readonly Param[],
  specs: readonly ParamSpec[] | undefined,
  event: TriggerEvent,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { name, default: value } of specs ?? []) if (value !== undefined) values.set(name, value);
  const source = sourceOf(event);
  for (const { name, value } of params) {
    const fallback = specs === undefined ? undefined : values.get(name);
    values.set(name, resolveParam({ name, value }, fallback, source));
  }
  return values;
}

function resolveParam({ name, value }: Param, fallback: string | undefined, source: unknown): string {
  let result = value;
  for (const { original, path } of findExpressions(value)) {
    let text: string;
    try {
      text = readPath(source, path);
    } catch (error) {
      if (fallback === undefined) {
        const { message } = error as Error;
        throw new Error(
          `failed to ApplyEventValuesToParams: failed to replace JSONPath value for param ${name}: ${value}: ${message}`,
          { cause: error },
        );
      }
      text = fallback;
    }
    result = result.split(original).join(text);
  }
  return result;
}

/** The value that paths are followed in. */
function sourceOf({ body, headers, extensions, eventId }: TriggerEvent): unknown {
  let data: unknown = null;
  try {
    if (body !== '') data = unmarshal(body);
  } catch (error) {
    throw new Error(
      `failed to ApplyEventValuesToParams: failed to marshal event: failed to unmarshal request body: ${(error as Error).message}`,
      { cause: error },
    );
  }
  const joined = Object.entries(headers).map(([name, values]) => [name, values.join(',')] as const);
  return { header: Object.fromEntries(joined), body: data, extensions, context: { eventID: eventId } };
}
