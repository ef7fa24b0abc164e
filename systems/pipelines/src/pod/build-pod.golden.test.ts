import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equalJson, type KubeObject, seededRandom } from '@tektite/meta';
import type { Pod, Secret, ServiceAccount } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { type FeatureFlags, featureFlags } from '../config/feature-flags.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { applyWorkspaces } from '../workspace/apply-workspaces.ts';
import { workspaceVolumes } from '../workspace/workspace-volumes.ts';
import { buildPod } from './build-pod.ts';
import { podCredentials } from './credentials.ts';

/** Pods that Tekton's own controller made of TaskRuns. They lie beside the repository, where there are any. */
const golden = new URL('../../../../../shared/golden/tekton/', import.meta.url).pathname;

interface Case {
  readonly name: string;
  readonly flags: FeatureFlags;
  readonly taskRun: TaskRun;
  readonly pod: Pod;
  readonly account: ServiceAccount;
  readonly secrets: ReadonlyMap<string, Secret>;
}

function* cases(): Generator<Case> {
  const base = JSON.parse(readFileSync(join(golden, 'base-config.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  for (const file of readdirSync(golden, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('expected.json')) continue;
    const folder = join(golden, file, '..');
    const { config = {} } = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as {
      config?: Record<string, Record<string, string>>;
    };
    const { objects = {} } = JSON.parse(readFileSync(join(golden, file), 'utf8')) as {
      objects?: Record<string, KubeObject>;
    };
    if (config['config-defaults']) continue;
    const inputs = JSON.parse(readFileSync(join(folder, 'input.json'), 'utf8')) as KubeObject[];
    const named = <T extends KubeObject>(kind: string, name: string) =>
      inputs.find((input) => input.kind === kind && input.metadata.name === name) as T | undefined;
    const secrets = new Map(
      inputs.filter(({ kind }) => kind === 'Secret').map((secret) => [secret.metadata.name ?? '', secret as Secret]),
    );
    const flags = featureFlags.parse({ ...base['feature-flags'], ...config['feature-flags'] });
    for (const [key, object] of Object.entries(objects)) {
      if (!key.startsWith('TaskRun/')) continue;
      const taskRun = object as TaskRun;
      const pod = objects[`Pod/${taskRun.status?.podName}`] as Pod | undefined;
      const account =
        named<ServiceAccount>('ServiceAccount', taskRun.spec.serviceAccountName ?? '') ?? ({} as ServiceAccount);
      if (pod && taskRun.status?.taskSpec)
        yield { name: `${file.replace('/expected.json', '')} ${key}`, flags, taskRun, pod, account, secrets };
    }
  }
}

function build({ taskRun, flags, account, secrets }: Case): Pod {
  const bindings = (taskRun.spec.workspaces ?? []).map((binding) => {
    if (!binding.volumeClaimTemplate) return binding;
    const { volumeClaimTemplate, ...rest } = binding;
    const name = volumeClaimTemplate.metadata?.name ?? 'pvc';
    const owner = `${taskRun.kind}/${taskRun.metadata.name}`;
    return { ...rest, persistentVolumeClaim: { claimName: `${name}-{hash:${binding.name}+uid:${owner}}` } };
  });
  const task = applyWorkspaces(taskRun.status?.taskSpec ?? {}, bindings, workspaceVolumes(bindings));
  return buildPod(taskRun, task, {
    flags,
    images: {
      entrypoint: '{image:entrypoint}',
      nop: '{image:nop}',
      sidecarLogResults: '{image:sidecarlogresults}',
      workingDirInit: '{image:workingdirinit}',
      shell: '{image:shell}',
    },
    credentials: podCredentials(account, secrets, { requireKnownHosts: false }),
    random: seededRandom(1),
    release: '{release}',
    managedBy: 'tekton-pipelines',
    sidecarLogPollingInterval: '100ms',
    forbiddenEnv: [],
  });
}

/** What the API server fills in. */
const filledIn: Readonly<Record<string, unknown>> = {
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
  terminationMessagePolicy: 'File',
  imagePullPolicy: undefined,
  enableServiceLinks: true,
  defaultMode: 420,
};

function normalize(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replaceAll(/((?:sidecar-)?script-\d+-)(?:[a-z0-9]{5}|\{r\})/g, '$1{r}')
      .replaceAll(
        /(_EOF_'\n)([A-Za-z0-9+/=]+)(\n_EOF_)/g,
        (_, a: string, text: string, b: string) => `${a}{base64 of}\n${Buffer.from(text, 'base64').toString()}${b}`,
      );
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(filledIn, key) && (filledIn[key] === undefined || filledIn[key] === item)) continue;
    if (key === 'apiVersion' && item === 'v1' && 'fieldPath' in value) continue;
    if ((key === 'securityContext' || key === 'resources') && equalJson(item, {})) continue;
    // A volume without a source is an empty folder; a sidecar that was stopped has another image.
    if (key === 'emptyDir' && equalJson(item, {})) continue;
    if (key === 'image' && String((value as { name?: string }).name).startsWith('sidecar')) continue;
    // The service account's, added on admission.
    if (key === 'imagePullSecrets') continue;
    if (key === 'terminationMessagePath' && item === '/dev/termination-log') continue;
    result[key] = normalize(item);
  }
  return result;
}

describe.skipIf(!existsSync(golden))('the Pod of a TaskRun is the one that Tekton makes', () => {
  it('in every recorded case', () => {
    let total = 0;
    const different: string[] = [];
    for (const each of cases()) {
      total++;
      if (!equalJson(normalize(build(each).spec), normalize(each.pod.spec))) different.push(each.name);
    }
    expect(total).toBeGreaterThan(200);
    // Breakpoints are not there yet.
    expect(different.filter((name) => !name.startsWith('cases/taskrun/debug-'))).toEqual([]);
  });
});
