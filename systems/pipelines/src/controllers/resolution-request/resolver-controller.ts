import { type ControllerDefinition, defineController, type ReconcileContext } from '@tektite/controller';
import { keyOf, mergePatch } from '@tektite/client';
import { formatWithoutArguments } from '@tektite/go';
import { formatTime, isStatusError, isTransient, knativeConditionSet, StatusError } from '@tektite/meta';
import { parseFirstYaml } from '@tektite/schema/yaml';
import { ResolutionRequest, type ResolutionRequestObject, resolverTypeLabel } from '../../kinds/resolution-request.ts';
import { isCompleted } from '../../conditions/succeeded-condition.ts';
import { ResolverCache, usesCache, validateCacheMode } from '../../resolution/resolver-cache.ts';
import {
  type ResolvedResource,
  type Resolver,
  type ResolverConfig,
  type ResolverRequest,
  type ResolverSettings,
} from '../../resolution/resolver.ts';

const succeeded = knativeConditionSet('Succeeded', []);
const defaultTimeoutMs = 60_000;
/** More than is resolved in the time that a slow place takes; the requests of a place that answers do not wait for it. */
const concurrency = 32;
/** The limit of the API server, before encoding. Larger data cannot be sent or parsed. */
const maxBytes = 2_300_000;

/**
 * Answers requests: gives each to the resolver that its label names, and writes what this found, or why it found nothing, into the
 * status. Requests for other resolvers are left alone.
 */
export function resolverController(resolvers: readonly Resolver[], settings: ResolverSettings): ControllerDefinition {
  const byType = new Map(resolvers.map((resolver) => [resolver.type, resolver]));
  const cache = new ResolverCache();
  return defineController<ResolutionRequestObject>({
    name: 'resolvers',
    kind: ResolutionRequest,
    concurrency,
    async reconcile(request, context) {
      const resolver = byType.get(request.metadata.labels?.[resolverTypeLabel] ?? '');
      if (!resolver || isCompleted(request.status) || request.status?.data) return;
      try {
        await writeAnswer(request, await answer(resolver, request, context), context);
      } catch (error) {
        if (!(error instanceof ResolverFailure)) throw error;
        await writeFailure(request, error.message, context);
      }
    },
  });

  async function answer(
    resolver: Resolver,
    object: ResolutionRequestObject,
    context: ReconcileContext,
  ): Promise<ResolvedResource> {
    const request = requestOf(object, settings.config(resolver));
    const key = `${context.namespace}/${context.name}`;
    try {
      if (!settings.isEnabled(resolver.type))
        throw new Error(`cannot handle resolution request, enable-${resolver.type}-resolver feature flag not true`);
      validateCacheMode(request);
      resolver.validate(request);
    } catch (error) {
      throw new ResolverFailure(`invalid resource request "${key}": ${(error as Error).message}`);
    }
    const found = await resolveInTime(resolver, request, context, key);
    if (found.data.length > maxBytes)
      throw new ResolverFailure(
        `error updating resource request "${key}" with data: Request entity too large: limit is 3145728`,
      );
    const violation = unsupported(found.data);
    if (violation !== undefined)
      throw new ResolverFailure(
        `error getting "${resolver.name}" "${key}": resolved resource validation error: ${violation}`,
      );
    return found;
  }

  async function resolveInTime(
    resolver: Resolver,
    request: ResolverRequest,
    context: ReconcileContext,
    key: string,
  ): Promise<ResolvedResource> {
    const overtime = new AbortController();
    const timeout = () =>
      overtime.abort(new StatusError({ code: 504, reason: 'Timeout', message: 'context deadline exceeded' }));
    using _timer = context.clock.setTimer(resolver.timeoutMs?.(request) ?? defaultTimeoutMs, timeout);
    const signal = AbortSignal.any([context.signal, overtime.signal]);
    const { client, clock, random } = context;
    const resolve = () => resolver.resolve(request, { client, clock, random, signal });
    try {
      return await (usesCache(resolver, request)
        ? cache.get(resolver, request, settings.cache(), context.clock, resolve)
        : resolve());
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isRetried(error)) throw error;
      throw new ResolverFailure(`error getting "${resolver.name}" "${key}": ${(error as Error).message}`);
    }
  }
}

/** The answer is no, and stays no. */
class ResolverFailure extends Error {
  override readonly name = 'ResolverFailure';
}

function requestOf({ metadata, spec }: ResolutionRequestObject, config: ResolverConfig): ResolverRequest {
  const texts = (spec.params ?? []).map(({ name, value }) => [name, typeof value === 'string' ? value : ''] as const);
  return { namespace: metadata.namespace ?? '', spec, params: new Map(texts), config };
}

/** Whether the controller retries instead of failing the request. A timeout of a shared fetch is one of these too. */
function isRetried(error: unknown): boolean {
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

async function writeAnswer(
  request: ResolutionRequestObject,
  { data, annotations, refSource }: ResolvedResource,
  { client, signal }: ReconcileContext,
): Promise<void> {
  const source = refSource ?? null;
  const status = {
    annotations: annotations ?? null,
    data: Buffer.from(data).toString('base64'),
    source,
    refSource: source,
  };
  try {
    await client.patchStatus(ResolutionRequest, keyOf(request), mergePatch({ status }), { signal });
  } catch (error) {
    // Too large, for example.
    if (!isStatusError(error) || isRetried(error) || error.code === 404) throw error;
    const key = `${request.metadata.namespace}/${request.metadata.name}`;
    throw new ResolverFailure(`error updating resource request "${key}" with data: ${error.message}`, { cause: error });
  }
}

async function writeFailure(
  request: ResolutionRequestObject,
  message: string,
  { client, signal, clock }: ReconcileContext,
): Promise<void> {
  const latest = await client.get(ResolutionRequest, keyOf(request), { signal });
  if (isCompleted(latest.status)) return;
  const why = { reason: 'ResolutionFailed', message: formatWithoutArguments(message) };
  const before = (latest.status?.conditions ?? []) as Parameters<typeof succeeded.markFalse>[0];
  const conditions = succeeded.markFalse(before, 'Succeeded', formatTime(clock.now()), why);
  const { metadata } = latest;
  const patch = { metadata: { resourceVersion: metadata.resourceVersion }, status: { data: '', conditions } };
  await client.patchStatus(ResolutionRequest, keyOf(request), mergePatch(patch), { signal });
}
