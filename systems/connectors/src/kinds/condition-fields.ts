import { s } from '@tektite/schema';

/** As Kubernetes' own conditions. */
const condition = s.object({
  type: s.string(),
  status: s.enum('True', 'False', 'Unknown'),
  reason: s.string().optional(),
  message: s.string().optional(),
  lastTransitionTime: s.time().optional(),
  observedGeneration: s.integer({ format: 'int64' }).optional(),
});

export const conditions = s.list(condition, { keys: ['type'] });
