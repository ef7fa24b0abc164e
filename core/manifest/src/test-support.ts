import type { DynamicObject } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { Manifest } from './manifest.ts';
import type { PlanServer } from './plan/plan-server.ts';
import { parseObjects } from './source/parse-objects.ts';

/** The Tekton release files, where they are. */
export const payload: string = new URL('../../../../shared/data/payload/', import.meta.url).pathname;

export function manifestOf(...objects: readonly DynamicObject[]): Manifest {
  return Manifest.of(objects);
}

export function yaml(text: string): Manifest {
  return new Manifest(parseObjects(text, 'test.yaml'));
}

export function configMap(name: string, data: Readonly<Record<string, string>> = { a: '1' }): DynamicObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

export function deployment(name: string, image = 'web:1', replicas = 1): DynamicObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
    },
  };
}

export function job(name: string, image: string): DynamicObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } } },
  };
}

export function definition(plural = 'widgets', kind = 'Widget'): DynamicObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { size: { type: 'integer', default: 3 }, colour: { type: 'string' } },
                },
              },
            },
          },
        },
      ],
    },
  };
}

export function widget(name: string, spec: object = {}): DynamicObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, namespace: 'default' }, spec };
}

/** A server for plans, as the command has one. */
export async function openPlanServer(): Promise<PlanServer> {
  const plane: ControlPlane = await startControlPlane({
    disabledAdmissionPlugins: ['ServiceAccount', 'MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'],
    seed: 99,
  });
  return { client: plane.client, seed: (object) => plane.server.restore(object), close: () => plane.close() };
}
