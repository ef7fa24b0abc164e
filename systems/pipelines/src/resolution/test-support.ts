import { kinds } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { sleep, systemClock } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { vi } from 'vitest';
import type { ParamValue } from '../kinds/param.ts';
import { ResolutionRequest, type ResolutionRequestStatus } from '../kinds/resolution-request.ts';
import { pipelinesSystem } from '../system.ts';
import { isCompleted } from '../conditions/succeeded-condition.ts';

const images = { entrypoint: 'e', nop: 'n', sidecarLogResults: 'r', workingDirInit: 'w', shell: 's' };

/** A control plane with Tekton on it, whose resolvers can be asked. */
export class ResolverBench {
  readonly namespace = 'default';
  readonly plane: ControlPlane;
  private readonly systems: RunningSystems;
  private count = 0;

  private constructor(plane: ControlPlane, systems: RunningSystems) {
    this.plane = plane;
    this.systems = systems;
  }

  static async start(): Promise<ResolverBench> {
    const plane = await startControlPlane();
    await plane.client.create(kinds.ServiceAccount, { metadata: { namespace: 'default', name: 'default' } });
    const systems = await startSystems([pipelinesSystem({ images })], {
      client: plane.client,
      name: 'pipelines',
      graceMs: 0,
      webhooks: {
        host: plane.server.localWebhooks,
        service: { namespace: 'tekton-pipelines', name: 'tekton-pipelines-webhook' },
      },
    });
    return new ResolverBench(plane, systems);
  }

  async stop(): Promise<void> {
    await this.systems.stop();
    await this.plane.close();
  }

  /** The end of a request. Its name stands as `REQUEST` in messages. */
  async ask(type: string, params: Readonly<Record<string, ParamValue>>): Promise<Answer> {
    const name = `request-${this.count++}`;
    const metadata = { namespace: this.namespace, name, labels: { 'resolution.tekton.dev/type': type } };
    const list = Object.entries(params).map(([param, value]) => ({ name: param, value }));
    await this.plane.client.create(ResolutionRequest, { metadata, spec: { params: list } });
    const request = await vi.waitFor(
      async () => {
        const found = await this.plane.client.get(ResolutionRequest, { namespace: this.namespace, name });
        if (!isCompleted(found.status)) throw new Error(`${name} waits: ${JSON.stringify(found.status)}`);
        return found;
      },
      { timeout: 20_000, interval: 20 },
    );
    return answerOf(request.status as ResolutionRequestStatus, name);
  }

  /** Changes settings of a resolver, and waits until they hold. */
  async configure(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const key = { namespace: 'tekton-pipelines-resolvers', name };
    const body = { data };
    await this.plane.client.patch(kinds.ConfigMap, key, { contentType: 'application/merge-patch+json', body });
    await sleep(systemClock, 100);
  }

  async createSecret(name: string, data: Readonly<Record<string, string>>, type = 'Opaque'): Promise<void> {
    const metadata = { namespace: this.namespace, name };
    await this.plane.client.create(kinds.Secret, { metadata, stringData: data, type });
  }
}

export interface Answer {
  readonly succeeded: boolean;
  readonly reason: string | undefined;
  readonly message: string;
  readonly text: string;
  readonly status: ResolutionRequestStatus;
}

function answerOf(status: ResolutionRequestStatus, name: string): Answer {
  const condition = status.conditions?.[0];
  return {
    succeeded: condition?.status === 'True',
    reason: condition?.reason,
    message: (condition?.message ?? '').replaceAll(name, 'REQUEST'),
    text: Buffer.from(status.data, 'base64').toString(),
    status,
  };
}

export const taskText = `apiVersion: tekton.dev/v1
kind: Task
metadata:
  name: remote
spec:
  steps:
    - name: s
      image: busybox
      script: echo
`;
