import { stringifyJson } from '@tektite/meta';
import type { KubeObject } from '@tektite/meta';
import { badInput } from '../input/bad-input.ts';
import type { PlannedObject } from './plan-run.ts';
import type { FieldPath } from '../input/read-documents.ts';

/** Objects that runs expect on a cluster, for a control plane that has none. */
export interface PlaneNeeds {
  readonly objects: readonly PlannedObject[];
  /** The created objects, for the user: `the namespace ci`. */
  readonly created: readonly string[];
}

const ownNamespaces = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/**
 * Finds what the runs of a throw-away control plane refer to and the files do not have. Namespaces, service accounts and claims are
 * created, because an empty one does; Secrets and ConfigMaps are refused, because their content matters.
 */
export function planeNeeds(planned: readonly PlannedObject[], namespace: string): PlaneNeeds {
  const needs = new Needs(planned, namespace);
  for (const { object } of planned) needs.namespaceOf(object);
  for (const each of usedObjects(planned))
    needs.visit(each, each.object.metadata.namespace ?? namespace, each.object, []);
  return needs;
}

class Needs implements PlaneNeeds {
  readonly objects: PlannedObject[] = [];
  readonly created: string[] = [];
  private readonly known: Set<string>;
  private readonly namespace: string;

  constructor(planned: readonly PlannedObject[], namespace: string) {
    this.namespace = namespace;
    const keyOf = ({ kind, metadata }: KubeObject) => key(kind, metadata.namespace ?? namespace, metadata.name ?? '');
    this.known = new Set(
      planned.map(({ object }) =>
        object.kind === 'Namespace' ? key('Namespace', '', object.metadata.name ?? '') : keyOf(object),
      ),
    );
  }

  /** Most kinds are in one; the server says so if a kind is not. */
  namespaceOf({ metadata }: KubeObject): void {
    const name = metadata.namespace ?? this.namespace;
    if (!ownNamespaces.has(name)) this.need('Namespace', '', name, `the namespace ${name}`, {});
  }

  /** Walks an object for references. */
  visit(owner: PlannedObject, namespace: string, value: unknown, path: FieldPath): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [field, each] of Object.entries(value)) {
      const here = [...path, Array.isArray(value) ? Number(field) : field];
      this.check(owner, namespace, field, each, here);
      this.visit(owner, namespace, each, here);
    }
  }

  private check(owner: PlannedObject, namespace: string, field: string, value: unknown, path: FieldPath): void {
    if (field === 'serviceAccountName' && isName(value) && value !== 'default')
      this.need('ServiceAccount', namespace, value, `the service account ${value}`, {});
    const { claimName, secretName, name, optional } = (
      typeof value === 'object' && value !== null ? value : {}
    ) as Readonly<Record<string, unknown>>;
    if (field === 'persistentVolumeClaim' && isName(claimName))
      this.need('PersistentVolumeClaim', namespace, claimName, `the claim ${claimName} (empty)`, claimFields);
    if (optional === true) return;
    const secret = field === 'secret' ? secretName : field === 'secretKeyRef' ? name : undefined;
    if (isName(secret) && !this.known.has(key('Secret', namespace, secret)))
      throw badInput(
        `${owner.at(path)}: there is no Secret ${JSON.stringify(secret)}; add its file with -f, or make it of a file with --secret ${secret}=FILE`,
      );
    const map = field === 'configMap' || field === 'configMapKeyRef' ? name : undefined;
    if (isName(map) && !this.known.has(key('ConfigMap', namespace, map)))
      throw badInput(`${owner.at(path)}: there is no ConfigMap ${JSON.stringify(map)}; add its file with -f`);
  }

  private need(kind: string, namespace: string, name: string, title: string, fields: object): void {
    const id = key(kind, namespace, name);
    if (this.known.has(id)) return;
    this.known.add(id);
    const metadata = { name, ...(namespace ? { namespace } : {}) };
    const object = { apiVersion: 'v1', kind, metadata, ...fields } as KubeObject;
    this.objects.push({ object, place: title, at: () => title, runs: false });
    this.created.push(title);
  }
}

const claimFields = { spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } } };

function key(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** Variables get their value later. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('$(');
}

/** The runs, and the Tasks and Pipelines that they lead to: a folder may have others, which need nothing. */
function usedObjects(planned: readonly PlannedObject[]): readonly PlannedObject[] {
  const used = new Set(planned.filter(({ runs }) => runs));
  for (const { object } of used) {
    const text = stringifyJson(object);
    for (const [, field, rest] of text.matchAll(/"(pipelineRef|taskRef|ref)":(\{[^{}]*\})/g)) {
      const { name } = JSON.parse(rest ?? '{}') as { readonly name?: string };
      const kind = field === 'pipelineRef' ? 'Pipeline' : field === 'taskRef' ? 'Task' : 'StepAction';
      for (const each of planned) if (each.object.kind === kind && each.object.metadata.name === name) used.add(each);
    }
  }
  return [...used];
}
