import { controllerReference, type KubeObject } from '@tektite/meta';
import { compilePattern } from '@tektite/schema';
import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';
import type { EventListenerObject } from '../../kinds/event-listener.ts';
import { tlsRefs } from '../../sink/listener-servers.ts';

const defaultPort = 8080;
const defaultTlsPort = 8443;
const containerPort = 8080;
const metricsPort = 9000;
const staticLabels = { 'app.kubernetes.io/managed-by': 'EventListener', 'app.kubernetes.io/part-of': 'Triggers' };

/** The name of the objects that belong to a listener. */
export function generatedName({ metadata }: EventListenerObject): string {
  return `el-${metadata.name}`;
}

/** The port of the Service for events. */
export function eventPort(listener: EventListenerObject): { readonly name: string; readonly port: number } {
  const { servicePort } = listener.spec.resources?.kubernetesResource ?? {};
  const isTls = tlsRefs(listener) !== undefined;
  const port = servicePort ?? defaultPort;
  if (!isTls) return { name: 'http-listener', port };
  return { name: 'https-listener', port: port === defaultPort ? defaultTlsPort : port };
}

/** The address of a listener inside the cluster. */
export function listenerUrl(listener: EventListenerObject): string {
  const { namespace } = listener.metadata;
  return `http://${generatedName(listener)}.${namespace}.svc.cluster.local:${eventPort(listener).port}`;
}

/** The Service of a listener. Labels that match the pattern are not copied. */
export function serviceFor(listener: EventListenerObject, exclusionPattern: string): Service {
  const { serviceType, servicePort, serviceLoadBalancerClass } = listener.spec.resources?.kubernetesResource ?? {};
  const selector = { ...staticLabels, eventlistener: listener.metadata.name ?? '' };
  const nodePort = serviceType === 'NodePort' && servicePort !== undefined ? { nodePort: servicePort } : {};
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataFor(listener, exclusionPattern),
    spec: {
      selector,
      ...(serviceType === undefined ? {} : { type: serviceType }),
      ports: [
        { ...eventPort(listener), protocol: 'TCP', targetPort: containerPort, ...nodePort },
        { name: 'http-metrics', protocol: 'TCP', port: metricsPort, targetPort: metricsPort },
      ],
      ...(serviceLoadBalancerClass === undefined ? {} : { loadBalancerClass: serviceLoadBalancerClass }),
    },
  } as Service;
}

/** Leads the Service to this process, in the place of the Pods that upstream has. */
export function endpointsFor(listener: EventListenerObject, address: string, port: number): EndpointSlice {
  const name = generatedName(listener);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-tektite`,
      namespace: listener.metadata.namespace ?? '',
      labels: { 'kubernetes.io/service-name': name, 'endpointslice.kubernetes.io/managed-by': 'triggers.tektite.dev' },
      ownerReferences: [controllerReference(listener)],
    },
    addressType: address.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: eventPort(listener).name, protocol: 'TCP', port }],
  } as EndpointSlice;
}

function metadataFor(listener: EventListenerObject, pattern: string): KubeObject['metadata'] {
  const { name = '', namespace = '', labels = {}, annotations } = listener.metadata;
  const excluded = pattern === '' ? undefined : compilePattern(pattern);
  const isCopied = (key: string) =>
    excluded === undefined || typeof excluded === 'string' || !excluded.matcher(key).find();
  const copied = Object.fromEntries(Object.entries(labels).filter(([key]) => isCopied(key)));
  return {
    name: generatedName(listener),
    namespace,
    labels: { ...copied, ...staticLabels, eventlistener: name },
    ...(annotations ? { annotations } : {}),
    ownerReferences: [controllerReference(listener)],
  };
}
