import { type Clock, generateName, type Mutable, type Random, sleep } from '@tektite/meta';
import type { Container, EphemeralContainer, Pod, ServiceAccount, Volume } from '@tektite/schema/kubernetes';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource, admissionForbidden } from '../admission.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumePrefix = 'kube-api-access-';
const mirrorAnnotation = 'kubernetes.io/config.mirror';
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets';
/** Tokens live an hour and a few seconds, so that those who expect old, long-lived ones are seen to use them. */
const tokenSeconds = 3607;
/** A controller makes the default account of a new namespace; it is given a moment. */
const attempts = 10;
const retryMilliseconds = 150;

/** Every Pod runs as a service account that exists, and finds a token of it in its file system. */
export function serviceAccount(storage: Storage, clock: Clock, random: Random): AdmissionPlugin {
  const find = (namespace: string, name: string) =>
    storage.latest(`/registry/serviceaccounts/${namespace}/${name}`)?.value as ServiceAccount | undefined;
  const findSoon = async (request: AdmissionRequest, name: string): Promise<ServiceAccount> => {
    const { namespace } = request;
    for (let attempt = 1; ; attempt++) {
      const found = find(namespace, name);
      if (found) return found;
      if (name !== 'default' || attempt >= attempts)
        throw admissionForbidden(
          request,
          `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
        );
      await sleep(clock, retryMilliseconds);
    }
  };
  return {
    name: 'ServiceAccount',
    async mutate(request) {
      if (request.operation !== 'CREATE' || !isPod(request)) return;
      const pod = request.object as Mutable<Pod>;
      if (!pod.spec || isMirror(pod as Pod)) return;
      if (!pod.spec.serviceAccountName) {
        pod.spec.serviceAccountName = 'default';
        pod.spec.serviceAccount = 'default';
      }
      const account = await findSoon(request, pod.spec.serviceAccountName);
      if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
        mountToken(pod, random);
      if ((pod.spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0)
        pod.spec.imagePullSecrets = (account.imagePullSecrets ?? []).map((reference) => ({ ...reference }));
    },
    async validate(request) {
      if (!isPod(request)) return;
      const pod = request.object as Pod;
      const isDebugging = request.operation === 'UPDATE' && request.subresource === 'ephemeralcontainers';
      if (request.operation !== 'CREATE' && !isDebugging) return;
      if (isMirror(pod)) {
        if (!isDebugging) checkMirror(request, pod);
        return;
      }
      const { serviceAccountName: name } = pod.spec ?? {};
      if (!name)
        throw admissionForbidden(
          request,
          `no service account specified for pod ${request.namespace}/${pod.metadata.name ?? ''}`,
        );
      const account = await findSoon(request, name);
      if (account.metadata.annotations?.[enforceAnnotation] !== 'true') return;
      const violation = isDebugging ? debuggingSecret(pod, account) : foreignSecret(pod, account);
      if (violation !== undefined) throw admissionForbidden(request, violation);
    },
  };
}

function isPod(request: AdmissionRequest): boolean {
  return (
    isResource(request, '', 'pods') &&
    (request.subresource === '' || request.subresource === 'ephemeralcontainers') &&
    request.object !== undefined
  );
}

/** A mirror Pod of a static Pod. */
function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

function checkMirror(request: AdmissionRequest, { spec }: Pod): void {
  if (spec?.serviceAccountName) throw admissionForbidden(request, 'a mirror pod may not reference service accounts');
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const usesSecrets =
    (spec?.volumes ?? []).some(({ secret }) => secret) ||
    containers.some((container) => secretsOf(container).length > 0);
  if (usesSecrets) throw admissionForbidden(request, 'a mirror pod may not reference secrets');
  const usesToken = (spec?.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some((source) => source.serviceAccountToken),
  );
  if (usesToken) throw admissionForbidden(request, 'a mirror pod may not use ServiceAccountToken volume projections');
}

/** Mounts a volume with the token into every container that has nothing there yet. */
function mountToken(pod: Mutable<Pod>, random: Random): void {
  const { spec } = pod;
  if (!spec) return;
  const existing = (spec.volumes ?? []).find(({ name }) => name.startsWith(volumePrefix));
  const name = existing?.name ?? generateName(volumePrefix, random);
  let needed = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((mount) => mount.mountPath === mountPath)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
    needed = true;
  }
  if (needed && !existing) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function tokenVolume(name: string): Mutable<Volume> {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}

/** The secrets that a container's environment comes from, and where each is named. */
function secretsOf({
  env,
  envFrom,
}: Container | EphemeralContainer): { readonly where: string; readonly secret: string }[] {
  return [
    ...(env ?? []).flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef ? [{ where: `envVar ${name}`, secret: valueFrom.secretKeyRef.name ?? '' }] : [],
    ),
    ...(envFrom ?? []).flatMap(({ secretRef }) =>
      secretRef ? [{ where: 'envFrom', secret: secretRef.name ?? '' }] : [],
    ),
  ];
}

function containerSecret(
  what: string,
  containers: readonly (Container | EphemeralContainer)[],
  allowed: ReadonlySet<string>,
  account: string,
): string | undefined {
  for (const container of containers)
    for (const { where, secret } of secretsOf(container))
      if (!allowed.has(secret))
        return `${what} ${container.name} with ${where} referencing secret.secretName="${secret}" is not allowed because service account ${account} does not reference that secret`;
  return undefined;
}

function mountableOf({ secrets }: ServiceAccount): ReadonlySet<string> {
  return new Set((secrets ?? []).map(({ name }) => name ?? ''));
}

/** A secret that a Pod uses though its account, which is strict about that, does not list it. */
function foreignSecret({ spec }: Pod, account: ServiceAccount): string | undefined {
  const allowed = mountableOf(account);
  const { name = '' } = account.metadata;
  for (const { secret } of spec?.volumes ?? [])
    if (secret && !allowed.has(secret.secretName ?? ''))
      return `volume with secret.secretName="${secret.secretName ?? ''}" is not allowed because service account ${name} does not reference that secret`;
  const inContainer =
    containerSecret('init container', spec?.initContainers ?? [], allowed, name) ??
    containerSecret('container', spec?.containers ?? [], allowed, name);
  if (inContainer !== undefined) return inContainer;
  const pull = new Set((account.imagePullSecrets ?? []).map((reference) => reference.name ?? ''));
  const index = (spec?.imagePullSecrets ?? []).findIndex((reference) => !pull.has(reference.name ?? ''));
  return index < 0
    ? undefined
    : `imagePullSecrets[${index}].name="${spec?.imagePullSecrets?.[index]?.name ?? ''}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

function debuggingSecret({ spec }: Pod, account: ServiceAccount): string | undefined {
  const { name = '' } = account.metadata;
  return containerSecret('ephemeral container', spec?.ephemeralContainers ?? [], mountableOf(account), name);
}
