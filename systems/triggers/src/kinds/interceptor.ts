import type { ObjectOf } from '@tektite/schema';
import { go, knativeStatusFields, type Struct, type StructValue } from '@tektite/schema/struct';
import { Addressable } from './addressable.ts';
import { triggersKind } from './triggers-kind.ts';
import { UrlText } from './url-text.ts';

const serviceFields = {
  name: go.string().required(),
  namespace: go.string().required(),
  path: go.string(),
  port: go.pointer(go.int32()),
};
/** A Service that serves an interceptor, with an optional path. */
export interface ServiceReference extends StructValue<typeof serviceFields> {}
const ServiceReference: Struct<ServiceReference> = go.struct('ServiceReference', serviceFields);

const clientConfigFields = {
  /** PEM, in base64. */
  caBundle: go.bytes(),
  url: go.pointer(UrlText),
  service: go.pointer(ServiceReference),
};
/** The address of an interceptor: a URL or a Service. */
export interface ClientConfig extends StructValue<typeof clientConfigFields> {}
const ClientConfig: Struct<ClientConfig> = go.struct('ClientConfig', clientConfigFields);

const statusStructFields = {
  ...knativeStatusFields,
  ...go.embed('AddressStatus', { address: go.pointer(Addressable) }),
};

const fieldsOf = (name: string) => ({
  metadata: go.objectMeta(),
  spec: go.struct(`${name}Spec`, { clientConfig: ClientConfig.required() }).required(),
  status: go.struct<typeof statusStructFields>(`${name}Status`, statusStructFields).always(),
});

/** A server that inspects events, in one namespace. There is only v1alpha1. */
export const Interceptor = triggersKind({
  version: 'v1alpha1',
  shortNames: ['ni'],
  description: 'A server that inspects events of the EventListeners in its namespace.',
  struct: go.struct('Interceptor', fieldsOf('Interceptor')),
});
export interface InterceptorObject extends ObjectOf<typeof Interceptor> {}

/** A server that inspects events, for all namespaces. There is only v1alpha1. */
export const ClusterInterceptor = triggersKind({
  version: 'v1alpha1',
  scope: 'Cluster',
  shortNames: ['ci'],
  description: 'A server that inspects events of all EventListeners.',
  struct: go.struct('ClusterInterceptor', fieldsOf('ClusterInterceptor')),
});
export interface ClusterInterceptorObject extends ObjectOf<typeof ClusterInterceptor> {}
