import { isDecodeError } from '@tektite/go';
import {
  badRequestError,
  type Clock,
  conflictError,
  formatTime,
  type KubeObject,
  parseApiVersion,
  StatusError,
} from '@tektite/meta';
import { applyConfiguration } from '../../apply/field-manager.ts';
import { formatKind, formatObject } from '../../apply/format-object.ts';
import { strictErrorWarnings } from '../../codec/strict-error-warnings.ts';
import { setManagedFields } from '../../store/draft-metadata.ts';
import { managedResource } from '../../store/managed-resource.ts';
import { type Draft, errorTarget, type Resource } from '../../registry/resource.ts';
import type { PatchOptions } from '../../request/options.ts';
import { fieldManagerOf, type RequestContext } from '../request-context.ts';
import type { PatchBody } from './patch-body.ts';
import { checkName, parsed, textOf } from './patched.ts';
import { restoreMessage, wrapIntegers } from './unstructured-conversion.ts';

/** Server-side apply: what the configuration makes of the object, and who owns what then. */
export function applyChange(
  clock: Clock,
  context: RequestContext,
  resource: Resource,
  body: PatchBody,
  options: PatchOptions,
) {
  const config = body.value as Draft;
  checkConfiguration(resource, config);
  return (old: KubeObject | undefined): Draft => {
    const live = (old ?? resource.emptyObject) as Draft;
    const write = { manager: fieldManagerOf(context, options.fieldManager), time: formatTime(clock.now()) };
    const applied = applyConfiguration(
      managedResource(resource, context.info.subresource),
      live,
      config,
      write,
      options.force,
    );
    reportStrictErrors(context, body, options);
    const decoded = decodeApplied(resource, applied.object, config);
    if (!old) refuseUid(context, resource, decoded);
    checkName(context, decoded);
    setManagedFields(decoded, applied.managedFields);
    return decoded;
  };
}

/** Upstream reads the configuration strictly only once it is applied: conflicts come first. */
function reportStrictErrors(
  { warnings }: RequestContext,
  { strictErrors }: PatchBody,
  { fieldValidation }: PatchOptions,
): void {
  if (fieldValidation === 'Ignore' || strictErrors.length === 0) return;
  if (fieldValidation === 'Strict') throw badRequestError(`error strict decoding YAML: ${strictErrors.join(', ')}`);
  for (const warning of strictErrors.flatMap(strictErrorWarnings)) warnings.add(warning);
}

/** A uid means an object that is there. */
function refuseUid(context: RequestContext, resource: Resource, { metadata }: Draft): void {
  if (!metadata?.uid) return;
  throw conflictError(
    errorTarget(resource),
    context.info.name,
    `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`,
  );
}

function decodeApplied(resource: Resource, object: unknown, config: Draft): Draft {
  try {
    const value = resource.custom ? object : wrapIntegers(resource.schema, object);
    // Upstream does not read the result again: nulls of custom resources meet the validation.
    return resource.decode(parsed(value, resource), { keepNulls: true }).object;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const kind = formatKind(config);
    const message = `unable to convert unstructured object to ${kind}: ${restoreMessage(error)}`;
    throw new StatusError({
      code: 500,
      message: `failed to convert new object (${formatObject(config)}) to proper version: ${message}`,
    });
  }
}

/** Refuses a configuration of another kind, and gives one without metadata empty ones. */
export function checkConfiguration(resource: Pick<Resource, 'group' | 'version' | 'kind'>, config: Draft): void {
  const { group, version } = parseApiVersion(textOf(config.apiVersion)) ?? { group: '', version: '' };
  const kind = textOf(config.kind);
  if (group !== resource.group || version !== resource.version || kind !== resource.kind)
    throw badRequestError(`invalid object type: ${group}/${version}, Kind=${kind}`);
  config.metadata ??= {};
}
