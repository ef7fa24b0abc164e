import { parsedTextDecoder } from '@tektite/go';
import { normalizeTime } from '@tektite/meta';
import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { UrlText } from './url-text.ts';

/** Knative's time is not printed when it is zero. */
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
export interface Condition extends StructValue<typeof conditionFields> {}
const Condition: Struct<Condition> = go.struct('apis.Condition', conditionFields);

/** The fields of Knative's status. */
export const statusFields = go.embed('Status', {
  observedGeneration: go.int64(),
  conditions: go.list(Condition).named('v1.Conditions'),
  annotations: go.map(go.string()),
});

const addressableFields = {
  name: go.pointer(go.string()),
  url: go.pointer(UrlText),
  CACerts: go.pointer(go.string()),
  audience: go.pointer(go.string()),
};
export interface Addressable extends StructValue<typeof addressableFields> {}
export const Addressable: Struct<Addressable> = go.struct('v1.Addressable', addressableFields);
