import { defineKind, type ObjectOf, s } from '@tektite/schema';
import { conditions } from './condition-fields.ts';

export const group = 'operator.connectors.alauda.io';

const workload = s.object({
  name: s.string().describe('Of a Deployment or a StatefulSet of the payload'),
  kind: s.enum('Deployment', 'StatefulSet', '').default('').describe('Which of the two; empty: the one of that name'),
  replicas: s.integer({ format: 'int32', minimum: 0 }).optional().describe('How many Pods'),
  selector: s
    .object({}, { preserveUnknown: true })
    .optional()
    .describe('A LabelSelector in place of that of the payload; a workload whose selector changes is recreated'),
  template: s
    .object({}, { preserveUnknown: true })
    .optional()
    .describe('A part of a PodTemplateSpec, merged into that of the payload as kubectl patch merges'),
});

const spec = s.object({
  component: s
    .string({ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 })
    .optional()
    .describe('Which payload of the operator; default: the one called like the Connector. Cannot be changed'),
  manifestType: s
    .enum('Metadata', 'All')
    .default('Metadata')
    .describe('What InstallManifests record of each object: its name and hash, or all of it but the values of Secrets'),
  labels: s.map(s.string()).optional().describe('On all objects and their Pods, never in selectors'),
  annotations: s.map(s.string()).optional().describe('On all objects and their Pods'),
  registry: s
    .string({ maxLength: 253, pattern: '^[a-zA-Z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)*$' })
    .optional()
    .describe('host[:port][/prefix] that all images of the payload are taken from'),
  workloads: s
    .list(workload, { keys: ['name', 'kind'] })
    .optional()
    .describe('Changes to Deployments and StatefulSets of the payload, in this order'),
  additionalManifests: s
    .string()
    .optional()
    .describe('URLs or absolute paths of further objects, separated by commas; they are final'),
  additionalManifestsSHA256: s
    .string({ pattern: '^[0-9a-f]{64}$' })
    .optional()
    .describe('What the content of additionalManifests, one after the other, has to hash to'),
  additionalManifestsApplyGlobal: s
    .boolean()
    .default(false)
    .describe('Whether labels, annotations and registry are for additionalManifests, too'),
  // Kept by the server only so that it can be refused with a hint: what is not in a schema is dropped in silence.
  global: s.unknown().optional().describe('There is no such field: labels, annotations and registry are under spec'),
});

const status = s.object({
  observedGeneration: s
    .integer({ format: 'int64' })
    .optional()
    .describe('Generation of the spec that this status is about'),
  connectorVersion: s.string().optional().describe('The version of the payload that is installed'),
  releaseVersion: s.string().optional().describe('The version of the operator that installed it'),
  manifestsHash: s.string().optional().describe('The hash of all that is installed'),
  installManifests: s
    .list(s.object({ name: s.string(), type: s.enum('static', 'deployment'), ready: s.boolean() }))
    .optional()
    .describe('InstallManifests of this Connector'),
  conditions: conditions.optional().describe('Conditions, of which Ready is the summary'),
});

/** An application that is deployed from the operator's YAML into the namespace of the Connector. */
export const Connector = defineKind({
  group,
  version: 'v1alpha1',
  kind: 'Connector',
  shortNames: ['opconnector'],
  description: 'Deploys an application from the YAML that the operator comes with, into the namespace of the Connector',
  fields: {
    spec: spec.default({} as never).describe('Application to deploy, and changes to it'),
    status: status.optional().describe('Installed version, and whether it is ready'),
  },
  columns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Version', type: 'string', jsonPath: '.status.connectorVersion' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type Connector = ObjectOf<typeof Connector>;
export type ConnectorStatus = NonNullable<Connector['status']>;
export type Workload = NonNullable<Connector['spec']['workloads']>[number];
