import { type ObjectOf, s } from '@tektite/schema';
import { byohKind } from './byoh-kind.ts';
import { clusterCondition } from './cluster-condition.ts';

const clusterSpec = s.object({
  bundleLookupBaseRegistry: s.string().optional().describe('Passed to hosts as an annotation'),
  controlPlaneEndpoint: s
    .object({ host: s.string(), port: s.integer({ format: 'int32' }) })
    .optional()
    .describe('Where the API of the cluster is to be served'),
});

/** The infrastructure of a cluster: there is none to be made, so it is ready soon. */
export const ByoCluster = byohKind({
  kind: 'ByoCluster',
  shortNames: ['byoc'],
  description: 'A cluster on hosts that users registered',
  fields: {
    spec: clusterSpec.optional(),
    status: s
      .object({
        conditions: s.list(clusterCondition).optional(),
        failureDomains: s
          .map(s.object({ attributes: s.map(s.string()).optional(), controlPlane: s.boolean().optional() }))
          .optional(),
        ready: s.boolean().optional(),
      })
      .optional(),
  },
});
export type ByoCluster = ObjectOf<typeof ByoCluster>;

export const ByoClusterTemplate = byohKind({
  kind: 'ByoClusterTemplate',
  shortNames: ['byoct'],
  categories: ['cluster-api'],
  description: 'The template of ByoClusters',
  columns: [
    {
      name: 'Age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time duration since creation of ByoClusterTemplate',
    },
  ],
  fields: {
    spec: s
      .object({
        template: s.object({
          metadata: s
            .object({ annotations: s.map(s.string()).optional(), labels: s.map(s.string()).optional() })
            .optional(),
          spec: clusterSpec,
        }),
      })
      .optional(),
  },
});
