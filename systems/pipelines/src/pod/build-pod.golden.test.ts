import { equalJson, seededRandom } from '@tektite/meta';
import type { Pod, Secret, ServiceAccount } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { goldenCases, hasGolden } from '../test-support.ts';
import { applyWorkspaces } from '../workspace/apply-workspaces.ts';
import { workspaceVolumes } from '../workspace/workspace-volumes.ts';
import { buildPod } from './build-pod.ts';
import { podCredentials } from './credentials.ts';

interface Case {
  readonly name: string;
  readonly flags: FeatureFlags;
  readonly taskRun: TaskRun;
  readonly pod: Pod;
  readonly account: ServiceAccount;
  readonly secrets: ReadonlyMap<string, Secret>;
}

/** Pods that Tekton's own controller made of TaskRuns. */
function* cases(): Generator<Case> {
  for (const { name, config, flags, inputs, objects, taskRuns } of goldenCases()) {
    if (config['config-defaults']) continue;
    const ofKind = (kind: string) => inputs.filter((input) => input.kind === kind);
    const secrets = new Map(ofKind('Secret').map((secret) => [secret.metadata.name ?? '', secret as Secret]));
    for (const taskRun of taskRuns) {
      const pod = objects[`Pod/${taskRun.status?.podName}`] as Pod | undefined;
      const accounts = ofKind('ServiceAccount') as ServiceAccount[];
      const account = accounts.find(({ metadata }) => metadata.name === taskRun.spec.serviceAccountName);
      if (pod && taskRun.status?.taskSpec)
        yield {
          name: `${name} ${taskRun.metadata.name}`,
          flags,
          taskRun,
          pod,
          account: account ?? ({} as ServiceAccount),
          secrets,
        };
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
    hasNativeSidecars: flags.enableKubernetesSidecar,
    random: seededRandom(1),
    release: '{release}',
    managedBy: 'tekton-pipelines',
    sidecarLogPollingInterval: '100ms',
    forbiddenEnv: [],
  });
}

/** The defaults of the API server. */
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

describe.skipIf(!hasGolden)('the Pod of a TaskRun is the one that Tekton makes', () => {
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
