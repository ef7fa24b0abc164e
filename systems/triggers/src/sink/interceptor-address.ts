import type { ClusterInterceptorObject } from '../kinds/interceptor.ts';

const httpPort = 80;
const httpsPort = 8443;

/** The URL of an interceptor, from its clientConfig. With a CA bundle, a Service is called over TLS. */
export function resolveAddress({ spec }: Pick<ClusterInterceptorObject, 'spec'>): string {
  const { url, service, caBundle = '' } = spec.clientConfig;
  if (url !== undefined) return url;
  if (!service) throw new Error('interceptor URL was nil');
  const isTls = caBundle !== '';
  const { name, namespace, path = '', port = isTls ? httpsPort : httpPort } = service;
  const slash = path === '' || path.startsWith('/') ? '' : '/';
  return `${isTls ? 'https' : 'http'}://${name}.${namespace}.svc:${port}${slash}${path}`;
}
