import type { ApiEndpoint } from '../servers/api-endpoint.ts';
import { Definitions, type JsonSchema } from './json-schema.ts';

const documents = ['api/v1', 'apis/apps/v1', 'apis/batch/v1', 'apis/networking.k8s.io/v1', 'apis/policy/v1'].concat(
  ['autoscaling/v2', 'rbac.authorization.k8s.io/v1', 'storage.k8s.io/v1', 'apiextensions.k8s.io/v1'].map(
    (group) => `apis/${group}`,
  ),
  ['scheduling.k8s.io/v1', 'coordination.k8s.io/v1', 'discovery.k8s.io/v1', 'admissionregistration.k8s.io/v1'].map(
    (group) => `apis/${group}`,
  ),
);

/** Reads the definitions of built-in kinds from a server. */
export async function readDefinitions(endpoint: ApiEndpoint): Promise<Definitions> {
  const schemas: Record<string, JsonSchema> = {};
  for (const document of documents) {
    const path = `/openapi/v3/${document}`;
    const { code, body } = await endpoint.send({ method: 'GET', path, headers: { accept: 'application/json' } });
    if (code !== 200) continue;
    Object.assign(schemas, (body as { components: { schemas: Record<string, JsonSchema> } }).components.schemas);
  }
  return new Definitions(schemas);
}
