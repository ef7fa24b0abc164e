import { type ObjectOf, s } from '@tektite/schema';
import { operatorKind } from './operator-kind.ts';
import { statusFields } from './component-status.ts';
import { componentColumns, operatorGroup } from './kinds.ts';
import { text } from './shared-fields.ts';

/** A kind of earlier releases. It is served so that objects of it can be read, and can go. */
export const TektonHub = operatorKind({
  ...operatorGroup,
  kind: 'TektonHub',
  scope: 'Cluster',
  columns: componentColumns,
  fields: {
    spec: s.raw<object>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }).optional(),
    status: s.object({ ...statusFields, version: text() }, { preserveUnknown: true }).optional(),
  },
});
export type TektonHub = ObjectOf<typeof TektonHub>;
