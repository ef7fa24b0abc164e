import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { kinds } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CustomRun, TaskRun } from '../../kinds/kinds.ts';
import { pipelinesSystem } from '../../system.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, { metadata: { name: string }; status?: object }>;
}

let plane: ControlPlane;
let systems: RunningSystems;
let server: Server;
let received: Received[];
/** The next answers of the sink. */
let answers: number[];

const images = { entrypoint: 'e', nop: 'n', sidecarLogResults: 'r', workingDirInit: 'd', shell: 's' };

beforeEach(async () => {
  received = [];
  answers = [];
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const code = answers.shift() ?? 202;
      if (code < 300) received.push({ headers: request.headers, body: body as Received['body'] });
      response.writeHead(code).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  plane = await startControlPlane();
});

afterEach(async () => {
  await systems.stop();
  await plane.close();
  server.close();
});

/** Tekton, with or without a sink. */
async function start({ listens }: { readonly listens: boolean }): Promise<void> {
  const sink = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  const system = pipelinesSystem({ images });
  const objects = (system.objects ?? []).map((object) =>
    listens && object.metadata.name === 'config-events' ? { ...object, data: { sink } } : object,
  );
  const webhooks = { host: plane.server.localWebhooks, service: { namespace: 'default', name: 'hooks' } };
  systems = await startSystems([{ ...system, objects }], { client: plane.client, webhooks });
}

const key = { namespace: 'default', name: 'build' };
const types = () => received.map(({ headers }) => headers['ce-type']);

async function become(status: string, reason: string, message = ''): Promise<void> {
  const found = await plane.client.get(TaskRun, key);
  const conditions = [{ type: 'Succeeded', status, reason, message }];
  await plane.client.updateStatus(TaskRun, { ...found, status: { ...found.status, podName: '', conditions } } as never);
}

/** A TaskRun without a TaskRun controller: the tests write its status. */
async function createTaskRun(): Promise<void> {
  await plane.client.create(TaskRun, { metadata: key, spec: { managedBy: 'a.test/b', taskRef: { name: 't' } } });
}

it('sends every state of a run to a sink, once', async () => {
  await start({ listens: true });
  await createTaskRun();
  await expect.poll(types).toEqual(['dev.tekton.event.taskrun.queued.v1']);
  await become('Unknown', 'Started');
  await expect.poll(types).toHaveLength(2);
  await become('Unknown', 'Running', 'Not all Steps have started');
  await expect.poll(types).toHaveLength(3);
  await become('Unknown', 'Running', 'Not all Steps have ended');
  await become('False', 'StepFailed', '"step-a" exited with code 1');
  await expect
    .poll(types)
    .toEqual(['queued', 'started', 'running', 'failed'].map((state) => `dev.tekton.event.taskrun.${state}.v1`));
  const { headers, body } = received[3] as Received;
  expect(headers).toMatchObject({
    'ce-specversion': '1.0',
    'ce-source': '/apis/tekton.dev/v1/namespaces/default/TaskRun/build',
    'ce-subject': 'build',
    'content-type': 'application/json',
    'ce-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'ce-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect(Object.keys(body)).toEqual(['taskRun']);
  expect(body['taskRun']).toMatchObject({ metadata: { name: 'build' }, status: { conditions: [{ status: 'False' }] } });
  expect(new Set(received.map((each) => each.headers['ce-id'])).size).toBe(4);
});

it('tries again when the sink is not there for a moment, and says when it is sent', async () => {
  await start({ listens: true });
  answers = [503, 429];
  await createTaskRun();
  await expect.poll(types).toEqual(['dev.tekton.event.taskrun.queued.v1']);
  const said = async () =>
    (await plane.client.list(kinds.Event, { namespace: 'default' })).items.map(({ message }) => message);
  await expect.poll(said).toEqual(['Sent dev.tekton.event.taskrun.queued.v1']);
});

it('says so when the sink does not want it', async () => {
  await start({ listens: true });
  answers = [400];
  await createTaskRun();
  const said = async () =>
    (await plane.client.list(kinds.Event, { namespace: 'default' })).items.map(
      ({ reason, message }) => `${reason} ${message}`,
    );
  await expect.poll(said).toEqual(['CloudEventFailed 400: Bad Request']);
});

it('sends nothing where there is no sink', async () => {
  await start({ listens: false });
  await createTaskRun();
  await become('True', 'Succeeded');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(received).toEqual([]);
});

it('calls a custom task that is not over running, whatever it says', async () => {
  await start({ listens: true });
  await plane.client.create(CustomRun, {
    metadata: key,
    spec: { customRef: { apiVersion: 'a.test/v1', kind: 'Wait' } },
  });
  await expect.poll(types).toEqual(['dev.tekton.event.customrun.started.v1']);
  const found = await plane.client.get(CustomRun, key);
  const conditions = [{ type: 'Succeeded', status: 'Unknown' as const, reason: 'Asked' }];
  await plane.client.updateStatus(CustomRun, { ...found, status: { conditions } });
  await expect.poll(types).toContain('dev.tekton.event.customrun.running.v1');
});
