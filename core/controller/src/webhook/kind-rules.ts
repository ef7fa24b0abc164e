import { frozenCopy, type GroupVersionKind, type KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { AdmissionRequest } from './admission-review.ts';
import type { AdmissionOperation } from './admission-review.ts';
import { decodeError, type GoFieldNames } from './decode-error.ts';

/** Options of rules of all sorts. */
export interface RuleOptions {
  /** Default CREATE and UPDATE. For DELETE the function is given the object that is to go. */
  readonly operations?: readonly AdmissionOperation[];
  /** Subresources that are reviewed besides the object itself. */
  readonly subresources?: readonly string[];
  readonly goNames?: GoFieldNames;
}

/** The objects of a request, as the function of its kind takes them. */
export interface DecodedRequest<R> {
  readonly rule: R;
  /** Absent only when the request has none. */
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
}

/** A request that no rule can take; the message says why, in upstream's words. */
export class UndecodableError extends Error {
  override readonly name = 'UndecodableError';
}

/** Rules by their kind. */
export class KindRules<R extends { readonly kind: Kind; readonly goNames?: GoFieldNames }> {
  private readonly byKind: ReadonlyMap<string, R>;
  private readonly strict: boolean;

  constructor(rules: readonly R[], strict: boolean) {
    const byKind = new Map<string, R>();
    for (const rule of rules) {
      const key = keyOf(rule.kind);
      if (byKind.has(key)) throw new Error(`there are two rules for ${key} in one webhook`);
      byKind.set(key, rule);
    }
    this.byKind = byKind;
    this.strict = strict;
  }

  /** Finds the rule and checks that the objects are of its kind. Throws an {@link UndecodableError}. */
  decode(request: AdmissionRequest): DecodedRequest<R> {
    const rule = this.byKind.get(keyOf(request.kind));
    if (!rule) throw new UndecodableError(`unhandled kind: ${keyOf(request.kind)}`);
    const options = { strict: this.strict, ...(rule.goNames ? { goNames: rule.goNames } : {}) };
    for (const which of ['new', 'old'] as const) {
      const value = which === 'new' ? request.object : request.oldObject;
      const error = value === undefined ? undefined : decodeError(value, rule.kind, options);
      if (error !== undefined) throw new UndecodableError(`cannot decode incoming ${which} object: ${error}`);
    }
    return { rule, object: frozen(request.object), old: frozen(request.oldObject) };
  }
}

/** In process, objects are still being built; a webhook gets a frozen snapshot of them. */
function frozen(object: KubeObject | undefined): KubeObject | undefined {
  return object && frozenCopy(object);
}

/** `tekton.dev/v1, Kind=Task`, as Go prints it. */
function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}
