import type { ObjectOf } from '@tektite/schema';
import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { ParamSpec } from './param.ts';
import { triggersKind } from './triggers-kind.ts';

const specFields = {
  params: go.list(ParamSpec),
  /** Objects of any kind, with variables in their texts. */
  resourcetemplates: go.list(go.rawExtension().named('TriggerResourceTemplate')),
};
export interface TriggerTemplateSpec extends StructValue<typeof specFields> {}
export const TriggerTemplateSpec: Struct<TriggerTemplateSpec> = go.struct('TriggerTemplateSpec', specFields);

const templateStruct = go.struct('TriggerTemplate', {
  metadata: go.objectMeta(),
  spec: TriggerTemplateSpec.required(),
  status: go.struct('TriggerTemplateStatus', {}),
});

/** Objects to create for an event. v1beta1 is the stored version. */
export const TriggerTemplate = triggersKind({
  version: 'v1beta1',
  shortNames: ['tt'],
  description: 'The objects to create for an event.',
  struct: templateStruct,
});
export const TriggerTemplateV1alpha1 = triggersKind({
  version: 'v1alpha1',
  shortNames: ['tt'],
  description: 'The objects to create for an event.',
  struct: templateStruct,
});
export interface TriggerTemplateObject extends ObjectOf<typeof TriggerTemplate> {}
