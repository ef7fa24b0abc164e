import { createHash, randomUUID } from 'node:crypto';

/** A completed TaskRun of two steps, as Pipelines leaves it; what differs between runs differs here: names, times, ids, digests. */
export function archivedRun(index: number): {
  readonly uid: string;
  readonly namespace: string;
  readonly object: object;
} {
  const uid = randomUUID();
  const hex = (what: string) => createHash('sha256').update(`${what}${index}`).digest('hex');
  const namespace = `team-${index % 50}`;
  const pipeline = `pipeline-${index % 400}`;
  const name = `${pipeline}-run-${index.toString(36)}-build`;
  const began = 1_760_000_000_000 + index * 1000;
  const time = (seconds: number) => new Date(began + seconds * 1000).toISOString().replace('.000Z', 'Z');
  const failed = index % 20 === 0;
  const step = (step: string, at: number) => ({
    container: `step-${step}`,
    imageID: `registry.example.com/team/${step}@sha256:${hex(`image-${index % 30}`)}`,
    name: step,
    terminated: {
      containerID: `containerd://${hex(step)}`,
      exitCode: failed ? 1 : 0,
      finishedAt: time(at + 20),
      reason: failed ? 'Error' : 'Completed',
      startedAt: time(at),
    },
    terminationReason: failed ? 'Error' : 'Completed',
  });
  const object = {
    apiVersion: 'tekton.dev/v1',
    kind: 'TaskRun',
    metadata: {
      annotations: {
        'pipeline.tekton.dev/release': 'v1.15.0',
        'results.tekton.dev/record': `${namespace}/results/${uid}/records/${uid}`,
        'results.tekton.dev/result': `${namespace}/results/${uid}`,
        'results.tekton.dev/stored': 'true',
      },
      creationTimestamp: time(0),
      finalizers: ['results.tekton.dev/taskrun'],
      generation: 1,
      labels: {
        'app.kubernetes.io/managed-by': 'tekton-pipelines',
        app: `app-${index % 1000}`,
        'tekton.dev/memberOf': 'tasks',
        'tekton.dev/pipeline': pipeline,
        'tekton.dev/pipelineTask': 'build',
        'tekton.dev/task': 'build-image',
      },
      name,
      namespace,
      resourceVersion: String(10_000 + index * 7),
      uid,
    },
    spec: {
      params: [
        { name: 'url', value: `https://git.example.com/team/service-${index % 200}.git` },
        { name: 'revision', value: hex('commit').slice(0, 40) },
      ],
      serviceAccountName: 'builder',
      taskRef: { kind: 'Task', name: 'build-image' },
      timeout: '1h0m0s',
      workspaces: [{ name: 'source', persistentVolumeClaim: { claimName: `pvc-${hex('claim').slice(0, 10)}` } }],
    },
    status: {
      artifacts: {},
      completionTime: time(45),
      conditions: [
        {
          lastTransitionTime: time(45),
          message: failed ? '"step-push" exited with code 1: Error' : 'All Steps have completed executing',
          reason: failed ? 'Failed' : 'Succeeded',
          status: failed ? 'False' : 'True',
          type: 'Succeeded',
        },
      ],
      podName: `${name}-pod`,
      results: [
        { name: 'IMAGE_DIGEST', type: 'string', value: `sha256:${hex('digest')}` },
        { name: 'IMAGE_URL', type: 'string', value: `registry.example.com/team/service-${index % 200}:${index}` },
      ],
      startTime: time(1),
      steps: [step('build', 2), step('push', 23)],
      taskSpec: {
        params: [
          { name: 'url', type: 'string' },
          { name: 'revision', type: 'string' },
        ],
        results: [
          { name: 'IMAGE_DIGEST', type: 'string' },
          { name: 'IMAGE_URL', type: 'string' },
        ],
        steps: [
          {
            computeResources: {},
            image: 'registry.example.com/team/build:1',
            name: 'build',
            script: '#!/bin/sh\nset -e\nbuild --context "$(workspaces.source.path)" --tag image\n',
          },
          { computeResources: {}, image: 'registry.example.com/team/push:1', name: 'push', script: 'push image\n' },
        ],
        workspaces: [{ name: 'source' }],
      },
    },
  };
  return { uid, namespace, object };
}
