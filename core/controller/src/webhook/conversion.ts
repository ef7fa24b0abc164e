import { formatApiVersion, type KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { ConversionRule } from './conversion-webhook.ts';

/** A version that is not the hub: how it becomes the hub's, and comes back. Made by {@link spoke}. */
export interface Spoke<H extends KubeObject> {
  readonly kind: Kind;
  toHub(object: KubeObject): H | Promise<H>;
  fromHub(object: H): KubeObject | Promise<KubeObject>;
}

/**
 * One version next to the hub. The functions need not care for `apiVersion` and `kind`: these are set afterwards.
 *
 * @example
 * spoke(TaskV1beta1, TaskV1, { toHub: taskFromV1beta1, fromHub: taskToV1beta1 })
 */
export function spoke<T extends KubeObject, H extends KubeObject>(
  kind: Kind<T>,
  hub: Kind<H>,
  functions: {
    toHub(object: T): NoInfer<H> | Promise<NoInfer<H>>;
    fromHub(object: NoInfer<H>): T | Promise<T>;
  },
): Spoke<H> {
  if (kind.group !== hub.group || kind.kind !== hub.kind)
    throw new Error(`${kind.kind} of ${kind.group} is no version of ${hub.kind} of ${hub.group}`);
  return { kind, toHub: (object) => functions.toHub(object as T), fromHub: (object) => functions.fromHub(object) };
}

export interface ConversionOptions<H extends KubeObject> {
  /** The version through which all others are converted; usually the one that is stored. */
  readonly hub: Kind<H>;
  readonly spokes: readonly Spoke<H>[];
}

/**
 * Conversion between the versions of a kind, over a hub: n versions need n - 1 pairs of functions.
 *
 * @example
 * conversion({ hub: TaskV1, spokes: [spoke(TaskV1beta1, TaskV1, { toHub, fromHub })] })
 */
export function conversion<H extends KubeObject>({ hub, spokes }: ConversionOptions<H>): ConversionRule {
  const byVersion = new Map(spokes.map((each) => [each.kind.version, each]));
  const known = new Set([hub.version, ...byVersion.keys()]);
  if (known.size !== spokes.length + 1) throw new Error(`two of the versions of ${hub.kind} have the same name`);
  return {
    kind: hub,
    versions: [...known],
    async convert(object, from, to) {
      if (from === to) return object;
      const hubObject = from === hub.version ? (object as H) : await byVersion.get(from)?.toHub(object);
      const result = to === hub.version ? hubObject : await byVersion.get(to)?.fromHub(named(hubObject as H, hub));
      return named(result as KubeObject, { ...hub, version: to });
    },
  };
}

function named<T extends KubeObject>(object: T, kind: Pick<Kind, 'group' | 'version' | 'kind'>): T {
  return { ...object, apiVersion: formatApiVersion(kind), kind: kind.kind };
}
