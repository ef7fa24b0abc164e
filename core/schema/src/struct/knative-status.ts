import { parsedTextDecoder } from '@tektite/go';
import { normalizeTime } from '@tektite/meta';
import type { StructValue } from './field.ts';
import { go } from './go.ts';
import type { Struct } from './struct.ts';

/** Knative's time: a plain text in schemas, and not printed when it is zero. */
const volatileTime = go.custom<string>('apis.VolatileTime', 'string', () => ({
  ...parsedTextDecoder(normalizeTime),
  isEmpty: (value) => value === null,
}));

const conditionFields = {
  type: go.string('apis.ConditionType').required(),
  status: go.string<'True' | 'False' | 'Unknown' | (string & {})>('v1.ConditionStatus').required(),
  severity: go.string('apis.ConditionSeverity'),
  lastTransitionTime: volatileTime,
  reason: go.string(),
  message: go.string(),
};
/** A condition in the status of Knative's kinds, and so of Tekton's. */
export interface StatusCondition extends StructValue<typeof conditionFields> {}
const StatusCondition: Struct<StatusCondition> = go.struct('apis.Condition', conditionFields);

const fields = {
  observedGeneration: go.int64(),
  conditions: go.list(StatusCondition).named('v1.Conditions'),
  annotations: go.map(go.string()),
};

/** The fields of Knative's status, to be spread among those of a status. */
export const knativeStatusFields: typeof fields = go.embed('Status', fields);
