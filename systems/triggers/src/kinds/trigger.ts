import { never } from '@tektite/go';
import type { ObjectOf } from '@tektite/schema';
import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { HeaderParam } from './header-param.ts';
import { TriggerTemplateSpec } from './template.ts';
import { triggersKind } from './triggers-kind.ts';
import { UrlText } from './url-text.ts';

const bindingFields = {
  name: go.string(),
  value: go.pointer(go.string()),
  ref: go.string(),
  kind: go.string<'TriggerBinding' | 'ClusterTriggerBinding' | (string & {})>('TriggerBindingKind'),
  apiversion: go.string(),
};
/** A parameter with its value, or a reference to a binding. */
export interface TriggerSpecBinding extends StructValue<typeof bindingFields> {}
export const TriggerSpecBinding: Struct<TriggerSpecBinding> = go.struct('TriggerSpecBinding', bindingFields);

const templateFields = {
  ref: go.pointer(go.string()),
  apiversion: go.string(),
  spec: go.pointer(TriggerTemplateSpec),
};
export interface TriggerSpecTemplate extends StructValue<typeof templateFields> {}
export const TriggerSpecTemplate: Struct<TriggerSpecTemplate> = go.struct('TriggerSpecTemplate', templateFields);

const refFields = {
  name: go.string(),
  kind: go.string<'ClusterInterceptor' | 'NamespacedInterceptor' | (string & {})>('InterceptorKind'),
  apiVersion: go.string(),
};
export interface InterceptorRef extends StructValue<typeof refFields> {}
const InterceptorRef: Struct<InterceptorRef> = go.struct('InterceptorRef', refFields);

const anyJson = go.custom<unknown>('v1.JSON', 'JSON', () => ({
  decode: (raw) => raw,
  zero: () => null,
  isEmpty: never,
}));
const interceptorParamFields = { name: go.string().required(), value: anyJson.required() };
export interface InterceptorParam extends StructValue<typeof interceptorParamFields> {}
const InterceptorParam: Struct<InterceptorParam> = go.struct('InterceptorParams', interceptorParamFields);

const webhookFields = {
  objectRef: go.pointer(go.builtin('core/v1.ObjectReference')),
  url: go.pointer(UrlText),
  header: go.list(HeaderParam),
};
/** An interceptor of the old style: it gets the event itself and answers with the next one. */
export interface WebhookInterceptor extends StructValue<typeof webhookFields> {}
const WebhookInterceptor: Struct<WebhookInterceptor> = go.struct('WebhookInterceptor', webhookFields);

const secretRef = go.pointer(go.struct('SecretRef', { secretKey: go.string(), secretName: go.string() }));
const eventTypes = go.list(go.string());
const overlay = go.struct('CELOverlay', { key: go.string(), expression: go.string() });
/** The interceptors of v1alpha1 that became references. Defaults turn them into those. */
const deprecatedFields = {
  github: go.pointer(go.struct('GitHubInterceptor', { secretRef, eventTypes })).legacy('v1alpha1'),
  gitlab: go.pointer(go.struct('GitLabInterceptor', { secretRef, eventTypes })).legacy('v1alpha1'),
  cel: go.pointer(go.struct('CELInterceptor', { filter: go.string(), overlays: go.list(overlay) })).legacy('v1alpha1'),
  bitbucket: go.pointer(go.struct('BitbucketInterceptor', { secretRef, eventTypes })).legacy('v1alpha1'),
};

const interceptorFields = {
  name: go.pointer(go.string()),
  ref: InterceptorRef.required(),
  params: go.list(InterceptorParam),
  webhook: go.pointer(WebhookInterceptor),
  ...deprecatedFields,
};
export interface TriggerInterceptor extends StructValue<typeof interceptorFields> {}
export const TriggerInterceptor: Struct<TriggerInterceptor> = go.struct('TriggerInterceptor', interceptorFields);

const specFields = {
  bindings: go.list(go.pointer(TriggerSpecBinding)).always(),
  template: TriggerSpecTemplate.required(),
  name: go.string(),
  interceptors: go.list(go.pointer(TriggerInterceptor)),
  serviceAccountName: go.string(),
};
export interface TriggerSpec extends StructValue<typeof specFields> {}
const TriggerSpec: Struct<TriggerSpec> = go.struct('TriggerSpec', specFields);

const triggerStruct = go.struct('Trigger', { metadata: go.objectMeta(), spec: TriggerSpec.required() });

/** Interceptors, bindings and the template of one reaction to events. v1beta1 is the stored version. */
export const Trigger = triggersKind({
  version: 'v1beta1',
  shortNames: ['tri'],
  description: 'Interceptors, bindings and the template of one reaction to events.',
  struct: triggerStruct,
});
export const TriggerV1alpha1 = triggersKind({
  version: 'v1alpha1',
  shortNames: ['tri'],
  description: 'Interceptors, bindings and the template of one reaction to events.',
  struct: triggerStruct,
});
export interface TriggerObject extends ObjectOf<typeof Trigger> {}
