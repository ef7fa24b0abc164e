import { formatYaml } from '@tektite/schema/yaml';
import type { Kind } from '@tektite/schema';
import type { KubeObject } from '@tektite/meta';
import { Pipeline, StepAction, Task } from '../../kinds/kinds.ts';
import { checksumOf } from '../../trust/checksum.ts';
import type { Resolver, ResolverRequest } from '../resolver.ts';

/** By what users call them. A Map: the names come from users. */
const sources: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['task', Task as Kind],
  ['pipeline', Pipeline as Kind],
  ['stepaction', StepAction as Kind],
]);

/** Objects of this cluster, from other namespaces as far as the settings allow it. */
export const clusterResolver: Resolver = {
  type: 'cluster',
  name: 'Cluster',
  configName: 'cluster-resolver-config',
  defaultConfig: {
    'default-kind': 'task',
    'default-namespace': '',
    'allowed-namespaces': '',
    'blocked-namespaces': '',
  },
  isImmutable: () => false,
  validate(request) {
    readParams(request);
  },
  async resolve(request, { client, signal }) {
    const { kind, name, namespace } = readParams(request);
    const source = sources.get(kind) as Kind;
    const object = await client.get(source, { namespace, name }, { signal });
    return {
      data: Buffer.from(formatYaml(withoutState(object))),
      annotations: { 'resolution.tekton.dev/name': name, 'resolution.tekton.dev/namespace': namespace },
      refSource: {
        // Always v1, even for what has no v1: upstream's way.
        uri: `/apis/tekton.dev/v1/namespaces/${namespace}/${kind}/${name}@${object.metadata.uid}`,
        digest: { sha256: checksumOf(object).toString('hex') },
      },
    };
  },
};

/** managedFields are not needed elsewhere, and make requests large. */
function withoutState(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface ClusterParams {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

function readParams({ params, config }: ResolverRequest): ClusterParams {
  const kind = params.get('kind') || config['default-kind'];
  if (kind !== undefined && !sources.has(kind)) throw new Error(`unknown or unsupported resource kind '${kind}'`);
  const name = params.get('name') ?? '';
  const namespace = params.get('namespace') || (config['default-namespace'] ?? '');
  const missing = [
    ...(kind === undefined ? ['kind'] : []),
    ...(name === '' ? ['name'] : []),
    ...(namespace.trim() === '' ? ['namespace'] : []),
  ];
  if (kind === undefined || missing.length > 0)
    throw new Error(`missing required cluster resolver params: ${missing.join(', ')}`);
  checkAccess(namespace, listOf(config['allowed-namespaces']), listOf(config['blocked-namespaces']));
  return { kind, name, namespace };
}

function listOf(text = ''): ReadonlySet<string> {
  return new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
}

/** A namespace that is blocked stays so; one that is allowed needs no more; `*` blocks all that are not allowed. */
function checkAccess(namespace: string, allowed: ReadonlySet<string>, blocked: ReadonlySet<string>): void {
  if (blocked.has(namespace)) throw new Error(`access to specified namespace ${namespace} is blocked`);
  if (allowed.has(namespace)) return;
  if (blocked.has('*')) throw new Error('only explicit allowed access to namespaces is allowed');
  if (allowed.size > 0) throw new Error(`access to specified namespace ${namespace} is not allowed`);
}
