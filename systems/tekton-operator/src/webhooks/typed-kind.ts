import type { KubeObject } from '@tektite/meta';
import type { JsonSchema, Kind } from '@tektite/schema';
import { builtinSchema } from '@tektite/schema/kubernetes';

const objects = {
  configMaps: 'core/v1.ConfigMap',
  deployments: 'apps/v1.Deployment',
  horizontalPodAutoscalers: 'autoscaling/v2.HorizontalPodAutoscaler',
  statefulSets: 'apps/v1.StatefulSet',
} as const;

/** Texts that may be written as booleans. */
const booleanTexts = ['transparency.enabled', 'artifacts.pipelinerun.enable-deep-inspection'];

/**
 * The kind as the webhook decodes it: objects that the CRD leaves open (in `options`) have their type there, and
 * unknown fields are rejected.
 */
export function typedKind<T extends KubeObject>(kind: Kind<T>): Kind<T> {
  return kind.schema ? { ...kind, schema: typed(kind.schema) } : kind;
}

function typed(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (!properties) return schema;
  const entries = Object.entries(properties).map(([name, item]) => {
    if (name === 'options') return [name, typedOptions(item)];
    if (booleanTexts.includes(name)) return [name, {}];
    if (name === 'spec' || item.type === 'object') return [name, typed(item)];
    return [name, item];
  });
  return { ...schema, properties: Object.fromEntries(entries) as Record<string, JsonSchema> };
}

function typedOptions(schema: JsonSchema): JsonSchema {
  const maps = Object.entries(objects).map(([name, key]) => [
    name,
    { type: 'object', additionalProperties: { ...builtinSchema(key), 'x-kubernetes-embedded-resource': true } },
  ]);
  return {
    ...schema,
    properties: { ...schema.properties, ...(Object.fromEntries(maps) as Record<string, JsonSchema>) },
  };
}
