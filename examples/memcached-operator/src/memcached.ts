import { defineKind, type ObjectOf, s } from '@tektite/schema';

const condition = s.object({
  type: s.string(),
  status: s.enum('True', 'False', 'Unknown'),
  reason: s.string().optional(),
  message: s.string().optional(),
  lastTransitionTime: s.time().optional(),
  observedGeneration: s.integer().optional(),
});

/** A cache of some nodes. From this value come the type, the CustomResourceDefinition, defaults and validation. */
export const Memcached = defineKind({
  group: 'cache.example.com',
  version: 'v1alpha1',
  kind: 'Memcached',
  shortNames: ['mc'],
  description: 'A memcached cache of some nodes',
  fields: {
    spec: s.object({
      size: s.integer({ minimum: 0, format: 'int32' }).default(1).describe('How many nodes'),
      port: s.integer({ minimum: 1, maximum: 65535 }).default(11211).describe('Where each of them listens'),
      image: s.string().optional().describe('What they run'),
    }),
    status: s
      .object({
        nodes: s.list(s.string()).optional().describe('The Pods that serve'),
        conditions: s.list(condition, { keys: ['type'] }).optional(),
      })
      .optional(),
  },
  columns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Available', type: 'string', jsonPath: '.status.conditions[?(@.type=="Available")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type Memcached = ObjectOf<typeof Memcached>;
