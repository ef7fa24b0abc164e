import type { DynamicObject } from '@tektite/meta';
import { defineKind, type ObjectOf, s } from '@tektite/schema';
import { conditions } from './condition-fields.ts';
import { group } from './connector.ts';

const spec = s.object({
  connectorRef: s
    .object({ namespace: s.string(), name: s.string(), uid: s.string().optional() })
    .optional()
    .describe('The Connector that it belongs to'),
  manifestType: s.enum('Metadata', 'All').optional().describe('Whether objects are recorded whole or by name and hash'),
  dependsOn: s.list(s.string()).optional().describe('InstallManifests that have to be ready before'),
  render: s
    .object({
      generation: s.integer({ format: 'int64' }).optional(),
      payloadVersion: s.string().optional(),
      additionalDigest: s.string().optional(),
    })
    .optional()
    .describe('Versions that the objects were rendered from'),
  manifests: s
    .list(s.raw<DynamicObject>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }))
    .describe('The objects, in their order: whole, or name and hash alone'),
});

const inventoryEntry = s.object({
  group: s.string(),
  version: s.string(),
  kind: s.string(),
  namespace: s.string().optional(),
  name: s.string(),
  uid: s.string().optional(),
  hash: s.string().optional(),
});

const status = s.object({
  observedGeneration: s
    .integer({ format: 'int64' })
    .optional()
    .describe('Generation of the spec that this status is about'),
  connectorVersion: s.string().optional().describe('Version of the payload'),
  releaseVersion: s.string().optional().describe('Version of the operator'),
  conditions: conditions.optional().describe('Conditions, of which Ready is the summary'),
  inventory: s
    .list(inventoryEntry)
    .optional()
    .describe('Objects that were created; those that are no longer in the spec are deleted'),
});

/** The objects that the operator installs for a Connector. Written by the operator alone. */
export const InstallManifest = defineKind({
  group,
  version: 'v1alpha1',
  kind: 'InstallManifest',
  scope: 'Cluster',
  shortNames: ['im'],
  description: 'The objects that are installed for a Connector. Written by the operator alone',
  fields: {
    spec: spec.describe('Objects to install'),
    status: status.optional().describe('Objects that are installed, and whether they are ready'),
  },
  columns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Version', type: 'string', jsonPath: '.status.connectorVersion' },
    { name: 'Type', type: 'string', jsonPath: '.metadata.labels.cpaas\\.io/install-manifest-type' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type InstallManifest = ObjectOf<typeof InstallManifest>;
export type InstallManifestStatus = NonNullable<InstallManifest['status']>;
