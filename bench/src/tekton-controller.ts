import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DynamicObject } from '@tektite/meta';
import { parseYaml } from '@tektite/schema/yaml';
import type { RealControlPlane } from '@tektite/testkit';

/** Tekton's own controller, for a figure beside ours: the program, and the release file that it belongs to. */
export interface TektonRelease {
  readonly controller: string;
  readonly file: string;
}

/** The release of `TEKTON_CONTROLLER` and `TEKTON_RELEASE`; `undefined` where they are not set. */
export function tektonRelease(): TektonRelease | undefined {
  const { TEKTON_CONTROLLER: controller, TEKTON_RELEASE: file } = process.env;
  return controller && file ? { controller, file } : undefined;
}

/** Parts of a release that would want to run on a cluster, or stand in the way where nothing of it does. */
const leftOut = new Set([
  'Deployment',
  'HorizontalPodAutoscaler',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/** Installs the release and runs its controller as a process of this machine, with as many workers as ours has. */
export async function startTektonController(
  { controller, file }: TektonRelease,
  plane: RealControlPlane,
  concurrency: number,
): Promise<AsyncDisposable> {
  const documents = parseYaml(await readFile(file, 'utf8')).map(({ value }) => value as DynamicObject | null);
  for (const object of documents) {
    if (!object || leftOut.has(object.kind)) continue;
    for (let attempt = 0; ; attempt++) {
      // A definition is not served at once.
      const failure = await plane.client.create(object).then(
        () => undefined,
        (error: Error) => error,
      );
      if (!failure || attempt === 20) break;
      await wait(250);
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, JSON.stringify(await kubeconfigOf(plane)), { mode: 0o600 });
  const images = ['entrypoint', 'nop', 'sidecarlogresults', 'workingdirinit', 'shell'];
  const args = [
    `-kubeconfig=${kubeconfig}`,
    '-disable-ha',
    `-threads-per-controller=${concurrency}`,
    '-kube-api-qps=5000',
    '-kube-api-burst=5000',
    '-shell-image-win=shell',
    ...images.map((image) => `-${image}-image=${image}`),
  ];
  const env = {
    ...process.env,
    SYSTEM_NAMESPACE: 'tekton-pipelines',
    CONFIG_LOGGING_NAME: 'config-logging',
    CONFIG_OBSERVABILITY_NAME: 'config-observability',
    CONFIG_LEADERELECTION_NAME: 'config-leader-election-controller',
    METRICS_DOMAIN: 'tekton.dev/pipeline',
    KUBERNETES_MIN_VERSION: 'v1.0.0',
  };
  const child = spawn(controller, args, { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function kubeconfigOf(plane: RealControlPlane): Promise<object> {
  const { config } = await plane.https();
  const { clientCertificate } = (await config.credentials?.current(AbortSignal.timeout(1000))) ?? {};
  const base64 = (text = '') => Buffer.from(text).toString('base64');
  const cluster = { server: config.server, 'certificate-authority-data': base64(config.certificateAuthority) };
  const user = {
    'client-certificate-data': base64(clientCertificate?.certificate),
    'client-key-data': base64(clientCertificate?.key),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster }],
    users: [{ name: 'bench', user }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  };
}
