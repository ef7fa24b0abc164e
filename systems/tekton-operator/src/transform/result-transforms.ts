import type { Transform } from '@tektite/manifest';
import { formatGoDuration, parseGoDuration } from '@tektite/go';
import type { EnvVar, Volume, VolumeMount } from '@tektite/schema/kubernetes';
import type { ResultSettings } from '../kinds/result-fields.ts';
import type { Scheduling } from '../kinds/shared-fields.ts';
import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import { moveArguments } from './dashboard-transforms.ts';
import { containerVariables, proxyVariables } from './environment-variables.ts';
import { type ImageChoice, workloadImages } from './images.ts';
import { releaseNamespace } from './namespace-transforms.ts';
import { operandLabel } from './operand-label.ts';
import { asStatefulSet, electionBuckets, tuneController } from './performance.ts';
import { restrictPods } from './pod-security.ts';
import { apiProperties } from './result-properties.ts';
import { watcherFlags } from './result-watcher.ts';
import { schedulePods } from './scheduling.ts';
import { deploymentIn, type DraftContainer, putVariable, replaceByName, templateOf } from './workload.ts';

const api = { deployment: 'tekton-results-api', container: 'api' };
const watcher = {
  deployment: 'tekton-results-watcher',
  container: 'watcher',
  election: 'tekton-results-config-leader-election',
};

type Settings = ResultSettings & { readonly config?: Scheduling };

/** The transforms of a release of Results. */
export function resultTransforms(
  settings: Settings,
  images: ImageChoice,
  namespace: string,
  environment: OperatorEnvironment,
): readonly (Transform | undefined)[] {
  const performance = settings.performance ?? { 'disable-ha': false };
  const properties = apiProperties(settings, namespace);
  return [
    operandLabel('tektoncd-results'),
    proxyVariables(environment),
    moveArguments([watcher.deployment], namespace),
    moveVariables(namespace),
    apiConfig(properties),
    apiVariables(properties),
    logsVolume(settings),
    containerVariables(api, objectStoreVariables(settings)),
    databaseVariables(settings),
    googleCredentials(settings),
    restrictPods('Deployment'),
    schedulePods(settings.config),
    restrictPods('StatefulSet'),
    workloadImages(images, 'Deployment', 'StatefulSet'),
    electionBuckets(watcher.election, performance),
    tuneController(watcher, performance),
    watcherFlags(withDurations(settings.watcher ?? {}), watcher),
    performance['statefulset-ordinals'] ? asStatefulSet(watcher.deployment) : undefined,
  ];
}

/** Upstream reads spans of time and prints them again: `90s` is passed on as `1m30s`. */
function withDurations(flags: NonNullable<ResultSettings['watcher']>): Readonly<Record<string, string | boolean>> {
  const spans = /_(period|deadline|interval|buffer|timeout)$/;
  return Object.fromEntries(
    Object.entries(flags)
      .filter((entry): entry is [string, string | boolean] => entry[1] !== undefined)
      .map(([key, value]) => [
        key,
        typeof value === 'string' && spans.test(key) ? formatGoDuration(parseGoDuration(value)) : value,
      ]),
  );
}

function moveVariables(namespace: string): Transform {
  return function moveVariables(draft) {
    const deployment = deploymentIn(draft);
    if (!deployment || ![api.deployment, watcher.deployment].includes(draft.metadata.name ?? '')) return;
    const [first] = templateOf(deployment.spec).spec.containers;
    for (const variable of first?.env ?? [])
      if (['DB_ADDR', 'TEKTON_RESULTS_API_SERVICE'].includes(variable.name))
        variable.value = (variable.value ?? '').replaceAll(releaseNamespace, namespace);
  };
}

/** The lines `KEY=value` of the server's settings. Keys that are not there are not added. */
function apiConfig(properties: ReadonlyMap<string, string>): Transform {
  return function apiConfig(draft) {
    if (draft.kind !== 'ConfigMap' || draft.metadata.name !== 'tekton-results-api-config') return;
    const map = draft as { data?: Record<string, string> };
    const lines = (map.data?.config ?? '').split('\n').map((line) => {
      const [key = ''] = line.split('=');
      const value = properties.get(key);
      return value === undefined ? line : `${key}=${value}`;
    });
    map.data = { ...map.data, config: lines.join('\n') };
  };
}

/** The same as variables, where they have the last word: those that are there keep their place, the others follow by name. */
function apiVariables(properties: ReadonlyMap<string, string>): Transform {
  return containerVariables(
    api,
    [...properties].map(([name, value]) => ({ name, value })).sort((a, b) => (a.name < b.name ? -1 : 1)),
  ) as Transform;
}

function logsVolume({ logs_api, logging_pvc_name: claimName, logs_path: mountPath }: Settings): Transform | undefined {
  if (!logs_api || !claimName || !mountPath) return undefined;
  const name = 'tekton-logs';
  return mountInApi({ name, persistentVolumeClaim: { claimName } }, { name, mountPath });
}

function mountInApi(volume: Volume, mount: VolumeMount, variable?: EnvVar): Transform {
  return function mountInApi(draft) {
    const deployment = deploymentIn(draft, api.deployment);
    if (!deployment) return;
    const { spec } = templateOf(deployment.spec);
    const container = spec.containers.find(({ name }) => name === api.container) ?? spec.containers[0];
    if (!container) return;
    spec.volumes = replaceByName(spec.volumes, [volume]) as typeof spec.volumes & object;
    container.volumeMounts = replaceByName(container.volumeMounts, [mount]) as DraftContainer['volumeMounts'] & object;
    if (variable) putVariable(container, variable);
  };
}

const storeKeys = [
  'S3_BUCKET_NAME',
  'S3_ENDPOINT',
  'S3_HOSTNAME_IMMUTABLE',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_MULTI_PART_SIZE',
];

function objectStoreVariables({ secret_name: secret }: Settings): readonly EnvVar[] {
  if (!secret) return [];
  return storeKeys.map((name) => ({
    name,
    valueFrom: { secretKeyRef: { name: secret, key: name, optional: true } },
  }));
}

/** All Deployments but the watcher's talk to the database. */
function databaseVariables(settings: Settings): Transform | undefined {
  const { db_secret_name: secret, db_secret_user_key: user, db_secret_password_key: password } = settings;
  if (!secret) return undefined;
  const reference = (name: string, key: string): EnvVar => ({
    name,
    valueFrom: { secretKeyRef: { name: secret, key } },
  });
  const variables = [
    reference('DB_USER', user || 'POSTGRES_USER'),
    reference('DB_PASSWORD', password || 'POSTGRES_PASSWORD'),
  ];
  return function databaseVariables(draft) {
    const deployment = deploymentIn(draft);
    if (!deployment || draft.metadata.name === watcher.deployment) return;
    const [first] = templateOf(deployment.spec).spec.containers;
    if (first) for (const variable of variables) putVariable(first, variable);
  };
}

function googleCredentials(settings: Settings): Transform | undefined {
  const { logs_type, logs_api, gcs_creds_secret_name: secretName, gcs_creds_secret_key: key } = settings;
  if (logs_type !== 'GCS' || !logs_api || !secretName || !key) return undefined;
  const name = 'google-creds';
  const path = '/creds/google';
  return mountInApi(
    { name, secret: { secretName, items: [{ key, path: key }] } },
    { name, mountPath: path },
    { name: 'GOOGLE_APPLICATION_CREDENTIALS', value: `${path}/${key}` },
  );
}
