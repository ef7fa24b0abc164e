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
import { setManagedFields } from '../../store/draft-metadata.ts';
import { managedResource } from '../../store/managed-resource.ts';
import { type Draft, errorTarget, type Resource } from '../../registry/resource.ts';
import type { PatchOptions } from '../../request/options.ts';
import { fieldManagerOf, type RequestContext } from '../request-context.ts';
import type { PatchBody } from './patch-body.ts';
import { checkName, parsed, textOf } from './patched.ts';

/** Server-side apply: what the configuration makes of the object, and who owns what then. */
export function applyChange(
  clock: Clock,
  context: RequestContext,
  resource: Resource,
  body: PatchBody,
  options: PatchOptions,
) {
  const config = body.value as Draft;
  checkConfiguration(context, resource, config);
  return (old: KubeObject | undefined): Draft => {
    if (!old && config.metadata?.uid) {
      throw conflictError(
        errorTarget(resource),
        context.info.name,
        `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`,
      );
    }
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
    const decoded = decodeApplied(resource, applied.object);
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
  for (const strictError of strictErrors) warnings.add(strictError);
}

function decodeApplied(resource: Resource, object: unknown): Draft {
  try {
    return resource.decode(parsed(object, resource)).object;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw new StatusError({ code: 500, message: `failed to convert new typed object: ${error.message}` });
  }
}

function checkConfiguration(context: RequestContext, resource: Resource, config: Draft): void {
  const { group, version } = parseApiVersion(textOf(config.apiVersion)) ?? { group: '', version: '' };
  const kind = textOf(config.kind);
  if (group !== resource.group || version !== resource.version || kind !== resource.kind)
    throw badRequestError(`invalid object type: ${group}/${version}, Kind=${kind}`);
  config.metadata ??= {};
  // Metadata that is no object has no name; its type error is reported with the other errors of the configuration.
  if (typeof config.metadata === 'object' && !Array.isArray(config.metadata)) checkName(context, config, true);
}
