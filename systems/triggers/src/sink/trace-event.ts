import { type KubeObject, type Random, systemRandom } from '@tektite/meta';
import { shippedObjects } from '../config/shipped-objects.ts';
import type { InterceptorResponse } from '../interceptors/interceptor.ts';
import type { EventListenerObject } from '../kinds/event-listener.ts';
import type { TriggerInterceptor, TriggerObject } from '../kinds/trigger.ts';
import type { SecretReader } from '../secrets/secret-reader.ts';
import { resolveParams } from '../template/resolve-params.ts';
import { resolveResources } from '../template/resolve-resources.ts';
import { resolveTrigger } from '../template/resolve-trigger.ts';
import { reviewObject } from '../webhooks/review-object.ts';
import { resourceFrom } from './create-resource.ts';
import { newUuid } from './event-id.ts';
import { accountOf } from './event-sink.ts';
import { executeInterceptors, type InterceptedEvent } from './execute-interceptors.ts';
import { interceptorCalls } from './interceptor-calls.ts';
import { mergeTriggers, selectTriggers } from './select-triggers.ts';
import { fixedTriggerStore, getObject, type TriggerStore } from './trigger-store.ts';

/** The answer of one interceptor. */
export interface TracedInterceptor {
  readonly name: string;
  readonly answer: InterceptorResponse;
}

/** One trigger and all that an event did in it. */
export interface TracedTrigger {
  readonly listener: string;
  readonly name: string;
  readonly namespace: string;
  readonly group?: string;
  readonly interceptors: readonly TracedInterceptor[];
  /** The extensions after all interceptors. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, string>>;
  /** The objects that would be created, by this account. */
  readonly resources?: readonly KubeObject[];
  readonly account: string;
  /** Why the trigger ended early, if it was not an interceptor that stopped it. */
  readonly error?: string;
}

export interface TraceRequest {
  readonly body: string;
  readonly headers: InterceptedEvent['headers'];
  readonly url?: string;
  /** Only this listener. */
  readonly listener?: string;
}

const systemNamespace = 'tekton-pipelines';

/**
 * Runs one event through the listeners among objects, and reports what each part did. Nothing is created, and no cluster is asked:
 * Secrets are taken from the objects. Interceptors elsewhere are called. Without a listener, all Triggers get the event.
 *
 * Throws when an object would be denied, with upstream's message.
 */
export async function traceEvent(
  given: readonly KubeObject[],
  request: TraceRequest,
  random: Random = systemRandom,
): Promise<readonly TracedTrigger[]> {
  const objects = [...shippedObjects(systemNamespace), ...given].map(reviewObject);
  const store = fixedTriggerStore(objects);
  const event = {
    body: request.body,
    headers: request.headers,
    extensions: {},
    url: request.url ?? '/',
    eventId: newUuid(random),
  };
  const tracer = new Tracer(store, objects, event, random);
  const listeners = store.eventListeners
    .list()
    .filter(({ metadata }) => request.listener === undefined || metadata.name === request.listener);
  if (listeners.length === 0 && request.listener === undefined) return tracer.triggers(store.triggers.list());
  return (await Promise.all(listeners.map((listener) => tracer.listener(listener)))).flat();
}

class Tracer {
  private readonly store: TriggerStore;
  private readonly objects: readonly KubeObject[];
  private readonly event: InterceptedEvent;
  private readonly random: Random;

  constructor(store: TriggerStore, objects: readonly KubeObject[], event: InterceptedEvent, random: Random) {
    this.store = store;
    this.objects = objects;
    this.event = event;
    this.random = random;
  }

  async listener(listener: EventListenerObject): Promise<readonly TracedTrigger[]> {
    const { namespace = '', name = '' } = listener.metadata;
    const account = accountOf(listener);
    const origin = { listener: name, account };
    const selected = await this.select(listener.spec, namespace);
    const missing: TracedTrigger[] = [];
    const triggers = mergeTriggers(listener, selected, this.store, (ref) =>
      missing.push({
        ...origin,
        name: ref,
        namespace,
        interceptors: [],
        error: `trigger.triggers.tekton.dev "${ref}" not found`,
      }),
    );
    const traced = await Promise.all(triggers.map((trigger) => this.trigger(trigger, this.event, origin)));
    const groups = (listener.spec.triggerGroups ?? []).map(async (group) => {
      const base = { ...origin, name: '', namespace, group: group.name };
      const seen: TracedInterceptor[] = [];
      try {
        const place = { triggerId: `namespaces/${namespace}/triggerGroups/${group.name}`, namespace };
        const observe = (each: TriggerInterceptor, answer: InterceptorResponse) =>
          void seen.push({ name: nameOf(each), answer });
        const result = await executeInterceptors(
          group.interceptors ?? [],
          this.event,
          place,
          this.calls(namespace),
          observe,
        );
        if (result.stopped) return [{ ...base, interceptors: seen }];
        const members = await this.select(group.triggerSelector, namespace);
        const event = { ...result.event, body: this.event.body };
        const ends = await Promise.all(members.map((trigger) => this.trigger(trigger, event, origin)));
        return ends.map((end) => ({ ...end, group: group.name, interceptors: [...seen, ...end.interceptors] }));
      } catch (error) {
        return [{ ...base, interceptors: seen, error: (error as Error).message }];
      }
    });
    return [...missing, ...traced, ...(await Promise.all(groups)).flat()];
  }

  triggers(triggers: readonly TriggerObject[]): Promise<readonly TracedTrigger[]> {
    return Promise.all(
      triggers.map((trigger) => this.trigger(trigger, this.event, { listener: '', account: 'default' })),
    );
  }

  private async trigger(
    trigger: TriggerObject,
    event: InterceptedEvent,
    { listener, account }: Pick<TracedTrigger, 'listener' | 'account'>,
  ): Promise<TracedTrigger> {
    const { name = '', namespace = '' } = trigger.metadata;
    const interceptors: TracedInterceptor[] = [];
    const base = { listener, name, namespace, interceptors, account: trigger.spec.serviceAccountName || account };
    try {
      const place = { triggerId: `namespaces/${namespace}/triggers/${name}`, namespace };
      const observe = (each: TriggerInterceptor, answer: InterceptorResponse) =>
        void interceptors.push({ name: nameOf(each), answer });
      const calls = this.calls(namespace);
      const result = await executeInterceptors(trigger.spec.interceptors ?? [], event, place, calls, observe);
      if (result.stopped) return base;
      const { bindings, clusterBindings, templates } = this.store;
      const { params, template } = resolveTrigger(trigger.spec, {
        binding: (ref) => getObject(bindings, 'triggerbinding', ref, namespace),
        clusterBinding: (ref) => getObject(clusterBindings, 'clustertriggerbinding', ref),
        template: (ref) => getObject(templates, 'triggertemplate', ref, namespace),
      });
      const { extensions } = result.event;
      const values = resolveParams(params, template.spec.params, result.event);
      const traced = { ...base, extensions, params: Object.fromEntries(values) };
      try {
        const origin = { listener, trigger: name, eventId: event.eventId, namespace };
        const texts = resolveResources(template, values, newUuid(this.random));
        return { ...traced, resources: texts.map((text) => resourceFrom(text, origin)) };
      } catch (error) {
        return { ...traced, error: (error as Error).message };
      }
    } catch (error) {
      return { ...base, error: (error as Error).message };
    }
  }

  private select(selectors: Parameters<typeof selectTriggers>[1], namespace: string) {
    return selectTriggers(this.store, selectors, namespace, () => Promise.resolve(true));
  }

  private calls(listenerNamespace: string) {
    return interceptorCalls({
      store: this.store,
      systemNamespace,
      listenerNamespace,
      secrets: (namespace) => this.secrets(namespace),
      resolveHost: () => Promise.resolve(undefined),
    });
  }

  /** The Secrets among the objects. */
  private secrets(namespace: string): SecretReader {
    return ({ secretName = '', secretKey = '' }) => {
      const secret = this.objects.find(
        ({ kind, metadata }) => kind === 'Secret' && metadata.name === secretName && metadata.namespace === namespace,
      ) as
        | (KubeObject & Readonly<Record<'data' | 'stringData', Readonly<Record<string, string>> | undefined>>)
        | undefined;
      if (!secret) return Promise.reject(new Error(`secrets "${secretName}" not found`));
      const text = secret.stringData?.[secretKey];
      if (text !== undefined) return Promise.resolve(Buffer.from(text));
      const encoded = secret.data?.[secretKey];
      if (encoded !== undefined) return Promise.resolve(Buffer.from(encoded, 'base64'));
      return Promise.reject(new Error(`cannot find ${secretKey} key in secret ${namespace}/${secretName}`));
    };
  }
}

function nameOf({ name, ref, webhook }: TriggerInterceptor): string {
  return name ?? (webhook ? 'webhook' : (ref.name ?? ''));
}
