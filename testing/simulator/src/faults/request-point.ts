import type { TransportRequest } from '@tektite/client';

/**
 * Names a request without the names of objects, which may be generated: `PATCH deployments/status`. The points of two runs with
 * different faults are then the same.
 */
export function requestPoint({ method, path }: Pick<TransportRequest, 'method' | 'path'>): string {
  return `${method} ${resourceOf(path)}`;
}

/** The resource and subresource of a path. */
export function resourceOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const rest = segments.slice(segments[0] === 'api' ? 2 : 3);
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const [resource = path, , subresource] = isNamespaced ? rest.slice(2) : rest;
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
