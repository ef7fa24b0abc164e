import type { AdmissionWebhook } from '@tektite/controller/webhook';
import { cloneJson, type KubeObject, parseApiVersion } from '@tektite/meta';
import { apiVersionOf, applyDefaults, compileSchema, type Kind, prune } from '@tektite/schema';
import type { StructKind } from '@tektite/schema/struct';
import { configDefaults } from '../config/config-defaults.ts';
import { featureFlags } from '../config/feature-flags.ts';
import { allKinds } from '../kinds/all-kinds.ts';
import { pipelinesConversion } from '../rules/conversion/pipelines-conversion.ts';
import type { CurrentSettings } from '../config/current-settings.ts';
import { pipelinesWebhooks } from './pipelines-webhooks.ts';

const validators = new Map(allKinds.map((kind) => [kind, compileSchema(kind.schema ?? {})]));

/** The kind of an object, if it is one that the webhooks know. */
export function kindOf(object: KubeObject): StructKind | undefined {
  return allKinds.find((kind) => object.kind === kind.kind && object.apiVersion === `${kind.group}/${kind.version}`);
}

export type Settings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The error of a user, or the stored object. */
export interface Admission {
  readonly denial?: string;
  readonly object?: KubeObject;
}

/** Does to an object what the API server does when it is created (or changed, if there is an old one). */
export async function admit(input: KubeObject, settings: Settings = {}, oldObject?: KubeObject): Promise<Admission> {
  const kind = kindOf(input);
  if (!kind) throw new Error(`no webhook for ${input.apiVersion} ${input.kind}`);
  const flags = featureFlags.parse(settings['feature-flags'] ?? {});
  const defaults = configDefaults.parse(settings['config-defaults'] ?? {});
  let object = cloneJson(input) as KubeObject;
  prune(object, kind.schema, { isResourceRoot: true });
  applyDefaults(object, kind.schema);
  for (const webhook of pipelinesWebhooks({ flags: () => flags, defaults: () => defaults })) {
    const answer = await review(webhook, object, oldObject);
    if (answer.denial !== undefined) return answer;
    object = answer.object ?? object;
    const errors = validators.get(kind)?.validate(object) ?? [];
    if (errors.length > 0) return { denial: `schema: ${JSON.stringify(errors)}` };
  }
  return { object: await stored(object, kind, { flags: () => flags, defaults: () => defaults }) };
}

/** The object after a round trip through the storage version. */
async function stored(object: KubeObject, kind: Kind, settings: CurrentSettings): Promise<KubeObject> {
  const hub = allKinds.find(({ kind: name }) => name === kind.kind) as Kind;
  if (hub === kind) return object;
  const { convert } = pipelinesConversion(settings);
  const converted = async (input: KubeObject, to: Kind) => {
    const review = { uid: '', objects: [input], desiredAPIVersion: apiVersionOf(to) };
    return (await convert(review)).convertedObjects[0] as KubeObject;
  };
  return converted(await converted(object, hub), kind);
}

async function review(webhook: AdmissionWebhook, object: KubeObject, oldObject?: KubeObject): Promise<Admission> {
  const version = parseApiVersion(object.apiVersion) ?? { group: '', version: '' };
  const request = {
    uid: '1',
    kind: { ...version, kind: object.kind },
    subResource: '',
    name: object.metadata.name ?? '',
    namespace: 'default',
    operation: oldObject ? ('UPDATE' as const) : ('CREATE' as const),
    userInfo: {},
    object,
    oldObject,
    dryRun: true,
  };
  const { allowed, status, patch } = await webhook.review(request, new AbortController().signal);
  if (!allowed) return { denial: `admission webhook "${webhook.name}" denied the request: ${status?.message}` };
  return { object: patch ? patched(object, JSON.parse(atobUtf8(patch)) as Operation[]) : object };
}

const atobUtf8 = (text: string) => Buffer.from(text, 'base64').toString('utf8');

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function patched(object: KubeObject, operations: readonly Operation[]): KubeObject {
  const root = { document: cloneJson(object) as unknown };
  for (const { op, path, value } of operations) {
    const keys = ['document', ...path.split('/').slice(1)].map((key) =>
      key.replaceAll('~1', '/').replaceAll('~0', '~'),
    );
    const last = keys.pop() as string;
    const parent = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], root);
    if (!Array.isArray(parent)) {
      if (op === 'remove') delete (parent as Record<string, unknown>)[last];
      else (parent as Record<string, unknown>)[last] = value;
    } else if (op === 'add') parent.splice(Number(last), 0, value);
    else if (op === 'remove') parent.splice(Number(last), 1);
    else parent[Number(last)] = value;
  }
  return root.document as KubeObject;
}
