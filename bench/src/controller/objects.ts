/** Objects of the size and shape that clusters have, with the managed fields that servers add to them. */

const manager = (name: string, fieldsV1: object, subresource?: string) => ({
  manager: name,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...(subresource ? { subresource } : {}),
});

const environment = Array.from({ length: 12 }, (_, i) => ({ name: `SETTING_${i}`, value: `value of setting ${i}` }));

/** A Pod with two containers, as a Deployment makes it. */
export function pod(namespace: string, name: string): object {
  const container = (of: string) => ({
    name: of,
    image: `registry.example.com/team/${of}:v1.2.3`,
    args: ['--listen=:8080', '--log-level=info', `--name=${of}`],
    env: environment,
    ports: [{ containerPort: 8080, name: 'http', protocol: 'TCP' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    readinessProbe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' }, periodSeconds: 10 },
  });
  const keys = Object.fromEntries(
    environment.map(({ name: key }) => [`k:{"name":"${key}"}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      labels: { app: 'web', 'pod-template-hash': '6d4cf56db6', tier: 'frontend' },
      annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' },
      managedFields: [
        manager('kube-controller-manager', { 'f:spec': { 'f:containers': { 'k:{"name":"app"}': { 'f:env': keys } } } }),
      ],
    },
    spec: {
      containers: [container('app'), container('sidecar')],
      volumes: [{ name: 'data', emptyDir: {} }],
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
    },
  };
}

export const pipelineRunDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pipelineruns.tekton.dev' },
  spec: {
    group: 'tekton.dev',
    scope: 'Namespaced',
    names: { plural: 'pipelineruns', singular: 'pipelinerun', kind: 'PipelineRun', listKind: 'PipelineRunList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** A PipelineRun of eight tasks that has ended, with all that Tekton keeps in its status. */
export function finishedPipelineRun(namespace: string, name: string): object {
  const tasks = Array.from({ length: 8 }, (_, i) => ({
    name: `task-${i}`,
    ...(i > 0 ? { runAfter: [`task-${i - 1}`] } : {}),
    params: [{ name: 'revision', value: '$(params.revision)' }],
    taskSpec: {
      params: [{ name: 'revision', type: 'string' }],
      results: [{ name: 'digest', type: 'string', description: 'what was built' }],
      steps: [
        {
          name: 'build',
          image: 'registry.example.com/builder:v1',
          script: `#!/bin/sh\nset -eu\n${'echo building a part of the software\n'.repeat(8)}`,
          env: environment.slice(0, 4),
        },
      ],
    },
  }));
  const pipelineSpec = { params: [{ name: 'revision', type: 'string' }], tasks };
  return {
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: {
      namespace,
      name,
      labels: { 'tekton.dev/pipeline': 'build', team: 'a' },
      managedFields: [
        manager('controller', { 'f:status': { 'f:pipelineSpec': {}, 'f:childReferences': {} } }, 'status'),
      ],
    },
    spec: { pipelineSpec, params: [{ name: 'revision', value: 'main' }], timeouts: { pipeline: '1h0m0s' } },
    status: {
      startTime: '2026-01-01T00:00:00Z',
      completionTime: '2026-01-01T00:10:00Z',
      conditions: [
        {
          type: 'Succeeded',
          status: 'True',
          reason: 'Succeeded',
          message: 'Tasks Completed: 8 (Failed: 0, Cancelled 0), Skipped: 0',
        },
      ],
      childReferences: tasks.map(({ name: pipelineTaskName }) => ({
        apiVersion: 'tekton.dev/v1',
        kind: 'TaskRun',
        name: `${name}-${pipelineTaskName}`,
        pipelineTaskName,
      })),
      pipelineSpec,
      provenance: { featureFlags: Object.fromEntries(environment.map(({ name: key, value }) => [key, value])) },
    },
  };
}
