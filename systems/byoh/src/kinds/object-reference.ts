import { type InferType, s } from '@tektite/schema';

/** A reference to an object, as the core API has it. */
export const objectReference = s.object(
  {
    apiVersion: s.string().optional(),
    fieldPath: s.string().optional(),
    kind: s.string().optional(),
    name: s.string().optional(),
    namespace: s.string().optional(),
    resourceVersion: s.string().optional(),
    uid: s.string().optional(),
  },
  { atomic: true },
);

export type ObjectReference = InferType<typeof objectReference>;
