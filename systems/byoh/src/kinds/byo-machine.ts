import type { LabelSelector } from '@tektite/meta';
import { type JsonSchema, type ObjectOf, s } from '@tektite/schema';
import { byohKind } from './byoh-kind.ts';
import { hostInfo } from './byo-host.ts';
import { clusterCondition } from './cluster-condition.ts';
import { objectReference } from './object-reference.ts';

const labelSelector: JsonSchema = {
  type: 'object',
  properties: {
    matchExpressions: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          key: { type: 'string' },
          operator: { type: 'string' },
          values: { type: 'array', items: { type: 'string' } },
        },
        required: ['key', 'operator'],
      },
    },
    matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
  },
  'x-kubernetes-map-type': 'atomic',
};

const machineSpec = s.object({
  installerRef: objectReference.optional().describe('The template of the installer that is to be used'),
  providerID: s.string().optional(),
  selector: s.raw<LabelSelector>(labelSelector).optional().describe('Which hosts will do; without it, all of them'),
});

/** A machine that a cluster wants: finds a host, has it installed and bootstrapped, gives it back. */
export const ByoMachine = byohKind({
  kind: 'ByoMachine',
  shortNames: ['byom'],
  description: 'A machine of a cluster, on a host that a user registered',
  fields: {
    spec: machineSpec.optional(),
    status: s
      .object({
        addresses: s
          .list(s.object({ address: s.string(), type: s.string() }))
          .optional()
          .describe('Where the node can be reached'),
        conditions: s.list(clusterCondition).optional(),
        failureMessage: s.string().optional().describe('What the installer says is wrong, for people'),
        failureReason: s.string().optional().describe('What the installer says is wrong, for programs'),
        hostinfo: hostInfo.optional(),
        ready: s.boolean().optional(),
      })
      .optional(),
  },
});
export type ByoMachine = ObjectOf<typeof ByoMachine>;

export const ByoMachineTemplate = byohKind({
  kind: 'ByoMachineTemplate',
  description: 'The template of ByoMachines',
  fields: {
    spec: s.object({ template: s.object({ spec: machineSpec }) }).optional(),
    status: s.object({}).optional(),
  },
});
export type ByoMachineTemplate = ObjectOf<typeof ByoMachineTemplate>;
