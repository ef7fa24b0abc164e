import {
  defineKind,
  type JsonSchema,
  type Kind,
  type KindObject,
  type KindOptions,
  type Schema,
} from '@tektite/schema';
import { group, version } from '../wire-names.ts';

/** By the first one Cluster API finds out which version of its contract a kind follows. */
const definitionLabels = {
  'cluster.x-k8s.io/v1beta1': 'v1beta1',
  'cluster.x-k8s.io/provider': 'infrastructure-byoh',
};

type Fields = Readonly<Record<string, Schema<unknown, boolean>>>;

/** A kind of this system: group, version and the labels of its definition are always the same. */
export function byohKind<const F extends Fields>(
  options: Omit<KindOptions<F>, 'group' | 'version' | 'definitionLabels'>,
): Kind<KindObject<F>> {
  const kind = defineKind({ group, version, definitionLabels, ...options });
  return { ...kind, schema: withDescriptions(kind.schema as JsonSchema) };
}

/** Descriptions of fields that most kinds have. */
const descriptions: Readonly<Record<string, string>> = {
  spec: 'Desired state',
  status: 'Observed state',
  conditions: 'Conditions, of which Ready is the summary',
  hostinfo: 'Architecture and operating system of the host',
  network: 'Network interfaces of the host',
  ready: 'Whether it is ready',
  failureDomains: 'Failure domains of the cluster',
  providerID: 'ID of the node at its provider: byoh://HOST/SUFFIX',
  template: 'Template of the objects',
  'insecure-skip-tls-verify': 'Do not verify the certificate of the server',
};

/** Describes the fields of spec and status that have no description. */
function withDescriptions(schema: JsonSchema, depth: number = 2): JsonSchema {
  if (!schema.properties || depth === 0) return schema;
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const description = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
    return [name, { ...(description ? { description } : {}), ...withDescriptions(field, depth - 1) }];
  });
  return { ...schema, properties: Object.fromEntries(fields) as NonNullable<JsonSchema['properties']> };
}
