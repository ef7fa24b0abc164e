import type { FieldErrors } from '@tektite/controller/field-errors';
import {
  type AdmissionContext,
  defaulting,
  type DefaultingRule,
  validating,
  type ValidatingRule,
} from '@tektite/controller/webhook';
import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { StructKind } from '@tektite/schema/struct';
import type { CurrentSettings } from '../config/current-settings.ts';
import { decodeObject, undecodable } from '../rules/decode-object.ts';
import type { Rules } from '../rules/rules.ts';

/** The functions for the objects of one kind in one version. */
export interface KindChecks<T extends KubeObject> {
  readonly kind: StructKind;
  applyDefaults(object: T, rules: Rules): T;
  validate(object: T, old: T | undefined, rules: Rules): FieldErrors;
}

/** Objects are decoded here, by the rules of Go, and not by the schema, which is validated later. */
const unread = (kind: Kind): Kind => ({ ...kind, schema: undefined });

/** Writes of the status are reviewed too. */
const options = { subresources: ['status'] };
/** Controllers write the status all the time, and it brings no new spec. The defaulting has read it just before. */
const validatingOptions = { ...options, unchecked: ['status'] };

/** The defaulting of a kind: what Go makes of an object, with its defaults. */
export function defaultingRule<T extends KubeObject>(checks: KindChecks<T>, settings: CurrentSettings): DefaultingRule {
  const doing = 'mutation failed';
  return defaulting(
    unread(checks.kind),
    (object, context) => {
      if (context.subresource === 'status') return withReadStatus(checks.kind, object, doing);
      const decoded = read<T>(checks.kind, object, doing, 'new');
      return checks.applyDefaults(decoded, rulesOf(checks.kind, settings, context));
    },
    options,
  );
}

/** The validation of a kind. */
export function validatingRule<T extends KubeObject>(checks: KindChecks<T>, settings: CurrentSettings): ValidatingRule {
  const doing = 'decoding request failed';
  return validating(
    unread(checks.kind),
    (object, context) => {
      const decoded = read<T>(checks.kind, object, doing, 'new');
      const old = context.old && read<T>(checks.kind, context.old, doing, 'old');
      return checks.validate(decoded, old, rulesOf(checks.kind, settings, context));
    },
    validatingOptions,
  );
}

/**
 * A write of the status changes nothing else, whatever it says: there is no need to read a spec that may be long, each time that a
 * run makes a step.
 */
function withReadStatus(kind: StructKind, object: KubeObject, doing: string): KubeObject {
  const { apiVersion, kind: name, metadata, status } = object as Reported;
  const shown = { apiVersion, kind: name, metadata: { name: metadata.name }, status } as KubeObject;
  const { status: decoded } = read<Reported>(kind, shown, doing, 'new');
  return (decoded === undefined ? object : { ...object, status: decoded }) as KubeObject;
}

interface Reported extends KubeObject {
  readonly status?: unknown;
}

function read<T extends KubeObject>(kind: StructKind, object: KubeObject, doing: string, which: 'new' | 'old'): T {
  try {
    return decodeObject<T>(kind, object);
  } catch (error) {
    throw undecodable(doing, which, error);
  }
}

function rulesOf(
  { version }: Kind,
  { flags, defaults }: CurrentSettings,
  { operation }: AdmissionContext<KubeObject>,
): Rules {
  return {
    flags: flags(),
    defaults: defaults(),
    version: version as Rules['version'],
    isCreate: operation === 'CREATE',
  };
}
