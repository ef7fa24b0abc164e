import { badRequestError, isStatusError, type KubeObject, stringifyJson } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { AdmissionRequest, AdmissionResponse } from './admission-review.ts';
import { type AdmissionContext, type AdmissionOptions, type AdmissionWebhook, contextOf } from './admission-webhook.ts';
import { createJsonPatch } from './create-json-patch.ts';
import type { GoFieldNames } from './decode-error.ts';
import { KindRules, type RuleOptions, UndecodableError } from './kind-rules.ts';

/** Gives the object with what was missing filled in; the same object, or nothing, when nothing was. Changes nothing. */
export type DefaultFunction<T extends KubeObject> = (
  object: T,
  context: AdmissionContext<T>,
) => T | undefined | Promise<T | undefined>;

/** How objects of one kind get their defaults. Made by {@link defaulting}. */
export interface DefaultingRule {
  readonly kind: Kind;
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
  readonly subresources: readonly string[];
  readonly goNames?: GoFieldNames;
  readonly apply: DefaultFunction<KubeObject>;
}

export interface DefaultingRuleOptions extends RuleOptions {
  readonly operations?: readonly ('CREATE' | 'UPDATE')[];
}

/**
 * Defaults for a kind. The object is frozen; give a new one.
 *
 * @example
 * defaulting(Memcached, (object) => (object.spec.image ? undefined : { ...object, spec: { ...object.spec, image } }));
 */
export function defaulting<T extends KubeObject>(
  kind: Kind<T>,
  apply: DefaultFunction<T>,
  options: DefaultingRuleOptions = {},
): DefaultingRule {
  return {
    kind,
    operations: options.operations ?? ['CREATE', 'UPDATE'],
    subresources: options.subresources ?? [],
    ...(options.goNames ? { goNames: options.goNames } : {}),
    apply: (object, context) => apply(object as T, context as AdmissionContext<T>),
  };
}

export interface DefaultingWebhookOptions extends AdmissionOptions {
  readonly name: string;
  /** Default `/defaulting/` and the name, so that webhooks of several systems can share a server. */
  readonly path?: string;
  readonly rules: readonly DefaultingRule[];
  /** Whether objects with fields that their schema does not know are refused. */
  readonly strict?: boolean;
}

/**
 * A webhook that fills in defaults. It answers with the smallest JSON patch that makes the function's object of the
 * request's.
 *
 * Rejects objects that cannot be decoded (`mutation failed: cannot decode incoming new object: ...`). A StatusError
 * that the function throws is the denial; any other error is a failure of the webhook.
 *
 * @example defaultingWebhook({ name: 'webhook.cache.example.com', rules: [defaulting(Memcached, withDefaults)] })
 */
export function defaultingWebhook(options: DefaultingWebhookOptions): AdmissionWebhook {
  const { name, path = `/defaulting/${options.name}`, rules, strict = false, ...admission } = options;
  const byKind = new KindRules(rules, strict);
  return {
    type: 'mutating',
    name,
    path,
    rules: rules.map(({ kind, operations, subresources }) => ({
      kind,
      operations,
      subresources: ['', ...subresources],
    })),
    options: admission,
    review: (request, signal) => review(byKind, request, signal),
  };
}

async function review(
  rules: KindRules<DefaultingRule>,
  request: AdmissionRequest,
  signal: AbortSignal,
): Promise<AdmissionResponse> {
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return { allowed: true };
  try {
    const { rule, object, old } = rules.decode(request);
    if (!object) throw new UndecodableError('the new object may not be nil');
    const defaulted = await rule.apply(object, contextOf(request, old, signal));
    return answerWith(object, defaulted ?? object);
  } catch (error) {
    if (error instanceof UndecodableError) return refuse(`mutation failed: ${error.message}`);
    if (isStatusError(error)) return { allowed: false, status: error.status };
    throw error;
  }
}

function answerWith(object: KubeObject, defaulted: KubeObject): AdmissionResponse {
  const patch = createJsonPatch(object, defaulted);
  if (patch.length === 0) return { allowed: true };
  const text = Buffer.from(stringifyJson(patch)).toString('base64');
  return { allowed: true, patch: text, patchType: 'JSONPatch' };
}

function refuse(message: string): AdmissionResponse {
  return { allowed: false, status: badRequestError(message).status };
}
