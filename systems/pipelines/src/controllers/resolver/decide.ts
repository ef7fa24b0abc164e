import { isStatusError, isTransient } from '@tektite/meta';
import { parseFirstYaml } from '@tektite/schema/yaml';
import type { ResolutionRequestObject } from '../../kinds/resolution-request.ts';
import { validateCacheMode } from '../../resolution/resolver-cache.ts';
import type {
  ResolvedResource,
  Resolver,
  ResolverConfig,
  ResolverRequest,
  ResolverSettings,
} from '../../resolution/resolver.ts';

/** The limit of the API server, before encoding. Larger data cannot be sent or parsed. */
const maxBytes = 2_300_000;

/** The answer is no, and stays no. */
export class ResolverFailure extends Error {
  override readonly name = 'ResolverFailure';
}

/** Reads a request for a resolver. Throws a ResolverFailure for one that the resolver does not take. */
export function validRequest(
  resolver: Resolver,
  object: ResolutionRequestObject,
  settings: Pick<ResolverSettings, 'config' | 'isEnabled'>,
): ResolverRequest {
  const request = requestOf(object, settings.config(resolver));
  try {
    if (!settings.isEnabled(resolver.type))
      throw new Error(`cannot handle resolution request, enable-${resolver.type}-resolver feature flag not true`);
    validateCacheMode(request);
    resolver.validate(request);
  } catch (error) {
    throw new ResolverFailure(`invalid resource request "${keyText(object)}": ${(error as Error).message}`);
  }
  return request;
}

/** Throws a ResolverFailure for data that is too large, or none of Tekton's objects. */
export function validateResource(
  { data }: Pick<ResolvedResource, 'data'>,
  { name }: Pick<Resolver, 'name'>,
  object: ResolutionRequestObject,
): void {
  const key = keyText(object);
  if (data.length > maxBytes)
    throw new ResolverFailure(
      `error updating resource request "${key}" with data: Request entity too large: limit is 3145728`,
    );
  const violation = unsupported(data);
  if (violation !== undefined)
    throw new ResolverFailure(`error getting "${name}" "${key}": resolved resource validation error: ${violation}`);
}

/** The name of a request in messages. */
export function keyText({ metadata }: ResolutionRequestObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function requestOf({ metadata, spec }: ResolutionRequestObject, config: ResolverConfig): ResolverRequest {
  const texts = (spec.params ?? []).map(({ name, value }) => [name, typeof value === 'string' ? value : ''] as const);
  return { namespace: metadata.namespace ?? '', spec, params: new Map(texts), config };
}

/** Whether the controller retries instead of failing the request. A timeout of a shared fetch is one of these too. */
export function isRetried(error: unknown): boolean {
  return isTransient(error) || (isStatusError(error) && error.code === 409);
}

const supported = ['PipelineRun', 'Pipeline', 'TaskRun', 'Task', 'Run', 'CustomRun', 'StepAction'];

/** The error for data that is none of Tekton's objects. */
function unsupported(data: Uint8Array): string | undefined {
  let value: unknown;
  try {
    value = parseFirstYaml(Buffer.from(data).toString('utf8'))?.value;
  } catch (error) {
    return `decoding error: error converting YAML to JSON: ${(error as Error).message}`;
  }
  const { apiVersion, kind } = (value ?? {}) as { apiVersion?: unknown; kind?: unknown };
  const isTekton = typeof apiVersion === 'string' && apiVersion.startsWith('tekton.dev/');
  if (isTekton && supported.includes(kind as string)) return undefined;
  return `resolved data is not of a supported type, must be of Group: tekton.dev, Kinds: [${supported.join(' ')}]`;
}
