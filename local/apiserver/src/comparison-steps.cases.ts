import { expect, it } from 'vitest';
import { TestServer } from './test-support.ts';

/** One request, and the part of kube-apiserver 1.36's answer that ours once had differently. */
export interface Step {
  readonly send: readonly [method: string, path: string, body?: unknown];
  readonly as?: 'merge-patch+json' | 'strategic-merge-patch+json' | 'apply-patch+yaml';
  readonly accept?: string;
  readonly code: number;
  readonly answer?: object;
  readonly headers?: object;
  /** Sent until the answer is right: controllers of the server have to act first. */
  readonly again?: true;
}

export const coreV1 = '/api/v1/namespaces/default';
export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const apply = (path: string, body: object | string, code: number, answer?: object): Step => ({
  send: ['PATCH', path.includes('?') ? path : `${path}?fieldManager=m`, body],
  as: 'apply-patch+yaml',
  code,
  ...(answer ? { answer } : {}),
});

export const configMap = (metadata: object, fields: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  ...fields,
});

export const crd = (name: string, spec: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: { group: 'example.com', scope: 'Cluster', names: { plural: 'widgets', kind: 'Widget' }, ...spec },
});

export const version = (name: string, schema: object = { type: 'object' }, fields: object = {}): object => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...fields,
});

/** A definition of widgets, and the wait for it. */
export const widgets = (schema: object, fields: object = {}): readonly Step[] => [
  { send: ['POST', crds, crd('widgets.example.com', { versions: [version('v1', schema, fields)] })], code: 201 },
  { send: ['GET', '/apis/example.com/v1/widgets'], code: 200, again: true },
];

export const widget = (metadata: object, fields: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata,
  ...fields,
});

export const message = (text: string): object => ({ message: expect.stringContaining(text) });

/** Makes one test of each case: its steps, on a new server. */
export function compareSteps(cases: Readonly<Record<string, readonly Step[]>>): void {
  it.each(Object.entries(cases))('%s', async (_title, steps) => {
    await using server = await TestServer.start();
    for (const step of steps) {
      const { code, answer = {}, headers = {} } = step;
      const send = () => answerOf(server, step);
      if (step.again) await expect.poll(send, { timeout: 20_000 }).toMatchObject({ code, object: answer });
      else expect(await send()).toMatchObject({ code, object: answer, headers });
    }
  });
}

function answerOf(server: TestServer, { send: [method, path, body], as, accept }: Step) {
  const headers = { 'content-type': `application/${as ?? 'json'}`, ...(accept ? { accept } : {}) };
  return server.send(method, path, body, { headers });
}
