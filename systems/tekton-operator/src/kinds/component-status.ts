import { s } from '@tektite/schema';
import type { KnativeCondition } from '@tektite/meta';
import { texts } from './shared-fields.ts';

const condition = s.raw<KnativeCondition>({
  type: 'object',
  properties: {
    lastTransitionTime: { type: 'string' },
    message: { type: 'string' },
    reason: { type: 'string' },
    severity: { type: 'string' },
    status: { type: 'string' },
    type: { type: 'string' },
  },
  required: ['status', 'type'],
});

/** The common fields of all statuses. */
export const statusFields = {
  annotations: texts(),
  conditions: s.list(condition).optional(),
  observedGeneration: s.integer({ format: 'int64' }).optional(),
};
