import { seededRandom } from '@tektite/meta';
import { expect, it } from 'vitest';
import { featureFlags } from '../config/feature-flags.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { buildPod, type PodOptions } from './build-pod.ts';

const options: PodOptions = {
  flags: featureFlags.parse({ 'set-security-context': 'true', 'enable-api-fields': 'alpha' }),
  images: {
    entrypoint: 'entrypoint',
    nop: 'nop',
    sidecarLogResults: 'results',
    workingDirInit: 'dirs',
    shell: 'sh',
    shellWindows: 'pwsh',
  },
  credentials: { flags: [], volumes: [], mounts: [] },
  random: seededRandom(1),
  release: 'r',
  managedBy: 'm',
  sidecarLogPollingInterval: '100ms',
  forbiddenEnv: [],
};
const run = { metadata: { name: 'run', namespace: 'default' }, spec: {} } as unknown as TaskRun;

it('the container that writes scripts for Windows has no security settings of Linux', () => {
  const contextsOf = (script: string) => {
    const { initContainers = [] } = buildPod(run, { steps: [{ name: 'a', image: 'i', script }] }, options).spec ?? {};
    return Object.fromEntries(initContainers.map(({ name, securityContext }) => [name, securityContext]));
  };
  expect(contextsOf('#!win pwsh\necho')['place-scripts']).toEqual({ runAsNonRoot: true });
  expect(contextsOf('#!win pwsh\necho').prepare).toHaveProperty('capabilities');
  expect(contextsOf('echo')['place-scripts']).toHaveProperty('capabilities');
});
