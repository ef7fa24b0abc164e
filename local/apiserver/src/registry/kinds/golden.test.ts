import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  cloneJson,
  type DynamicObject,
  formatFieldErrors,
  formatGroupKind,
  type KubeObject,
  type Mutable,
  seededRandom,
} from '@tektite/meta';
import { type BuiltinKind, findBuiltinResource } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { normalizeObject } from '../../codec/decode-object.ts';
import type { KindStrategy, StrategyContext } from '../kind-strategy.ts';
import { strategyOf } from './index.ts';
import { validateChangedObject, validateNewObject } from './validate-object.ts';

/**
 * Recorded answers of a real API server, replayed against the strategies alone: what a create or a merge patch makes of
 * an object, or the words with which it is refused. The data lives outside of the repository.
 */

const goldenFolder = fileURLToPath(new URL('../../../../../../shared/golden/apiserver/', import.meta.url));
const folders = [
  'validation',
  'defaults',
  'subresources',
  'crud',
  'crd',
  'events',
  'lists',
  'patch',
  'watch',
  'deletion',
  'table',
  'controllers',
  'auth',
  'apply',
];

interface Step {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bodyFill?: unknown;
  readonly compare?: { readonly unordered?: boolean; readonly skip?: boolean };
  readonly response?: { readonly code: number; readonly body: Record<string, unknown> };
}

interface Target {
  readonly builtin: BuiltinKind;
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly strategy: KindStrategy;
}

const context: StrategyContext = {
  now: Date.parse('2026-11-15T04:00:00Z'),
  user: { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] },
  serviceNetwork: () => ({
    range: '10.0.0.0/24',
    nodePorts: { first: 30_000, last: 32_767 },
    takenAddresses: new Set(),
    takenPorts: new Set(),
    random: seededRandom(1),
  }),
};

function targetOf(path: string): Target | undefined {
  const [, groupPart, version = '', rest = ''] =
    /^\/(?:apis\/([^/]+)|api)\/([^/]+)\/([^?]*)/.exec(path) ?? ([] as string[]);
  const parts = rest.split('/');
  const inNamespace = parts[0] === 'namespaces' && parts.length > 2 && parts[2] !== 'status' && parts[2] !== 'finalize';
  const [plural = '', name = '', subresource] = inNamespace ? parts.slice(2) : parts;
  const group = groupPart ?? '';
  const kind = findBuiltinResource(group, version, plural);
  const strategy = kind && strategyOf(group, version, kind.kind);
  if (!kind || !strategy) return undefined;
  const { namespaced } = kind;
  const namespace = inNamespace ? (parts[1] as string) : '';
  return { builtin: kind, group, kind: kind.kind, namespaced, namespace, name, subresource, strategy };
}

/** Decodes and encodes an object: types as Go has them, without empty fields. */
function decode(target: Target, value: unknown): Mutable<DynamicObject> {
  return normalizeObject(target.builtin.definition, value as object) as Mutable<DynamicObject>;
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

const hideUids = (text: string): string => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>');

/** Fields that admission plugins fill in, and those that no two servers share. */
function withoutVolatile(object: Record<string, unknown>): Record<string, unknown> {
  const { metadata: _, status: __, kind, apiVersion: ___, ...rest } = object;
  const copy = JSON.parse(hideUids(JSON.stringify(rest))) as { spec?: Record<string, unknown> };
  if (kind === 'Pod') for (const field of ['priority', 'preemptionPolicy', 'tolerations']) delete copy.spec?.[field];
  if (kind === 'Node') delete copy.spec?.taints;
  if (kind === 'Service')
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) delete copy.spec?.[field];
  return copy;
}

class Replay {
  private readonly stored = new Map<string, KubeObject>();

  /** Our answer to a step, in the form in which the recorded one is compared; `undefined` for what is not tried. */
  answer(step: Step): { expected: unknown; actual: unknown } | undefined {
    const target = step.path && targetOf(step.path);
    if (!target || !step.response || step.bodyFill || step.compare?.skip || typeof step.body !== 'object')
      return undefined;
    if (step.method === 'POST' && target.subresource === undefined) return this.create(step, target);
    const isMerge = /merge-patch/.test(step.headers?.['Content-Type'] ?? '');
    if (step.method === 'PATCH' && isMerge && !Array.isArray(step.body)) return this.patch(step, target);
    return undefined;
  }

  private create(step: Step, target: Target) {
    if (step.response?.code === 400) return undefined;
    const object = decode(target, step.body);
    object.metadata = {
      uid: '00000000-0000-0000-0000-000000000000',
      creationTimestamp: '2026-11-15T04:00:00Z',
      ...object.metadata,
      ...(target.namespaced && { namespace: target.namespace }),
    };
    if (!object.metadata.name) return undefined;
    target.strategy.default?.(object);
    const denials = target.strategy.allocate?.(object, undefined, context) ?? [];
    target.strategy.prepareForCreate?.(object, context);
    const errors = denials.length > 0 ? denials : validateNewObject(target.strategy, object, target, context);
    return this.compare(step, target, object, errors, !step.path?.includes('dryRun=All'));
  }

  private patch(step: Step, target: Target) {
    const old = this.stored.get(`${target.kind}/${target.namespace}/${target.name}`);
    if (!old) return undefined;
    if (step.response?.code === 400) return undefined;
    const object = decode(target, mergePatch(cloneJson(old), step.body));
    target.strategy.default?.(object);
    const part =
      target.subresource === undefined ? target.strategy : target.strategy.subresources?.[target.subresource];
    part?.prepareForUpdate?.(object, old, context);
    const errors = validateChangedObject(target.strategy, object, old, target, context, target.subresource);
    return this.compare(step, target, object, errors, true);
  }

  private compare(
    { response, compare }: Step,
    target: Target,
    object: Mutable<DynamicObject>,
    errors: Parameters<typeof formatFieldErrors>[0],
    store: boolean,
  ) {
    if (!response) return undefined;
    const { code, body } = response;
    if (code === 422) {
      const prefix = `${formatGroupKind(target.group, target.kind)} "${object.metadata.name}" is invalid: `;
      const expected = hideUids(String(body.message));
      if (!expected.startsWith(prefix)) return undefined;
      const actual = hideUids(errors.length === 0 ? '(accepted)' : `${prefix}${formatFieldErrors(errors)}`);
      const ordered = (text: string) => (compare?.unordered ? [...text].sort().join('') : text);
      return { expected: ordered(expected), actual: ordered(actual) };
    }
    if (code !== 200 && code !== 201) return undefined;
    if (errors.length > 0) return { expected: '(accepted)', actual: formatFieldErrors(errors) };
    object.metadata.resourceVersion = '1';
    if (store) this.stored.set(`${target.kind}/${target.namespace}/${target.name || object.metadata.name}`, object);
    if (body.kind !== target.kind) return undefined;
    return { expected: withoutVolatile(body), actual: withoutVolatile(decode(target, object)) };
  }
}

describe.skipIf(!existsSync(goldenFolder))('recorded answers (skipped when ../shared/golden is absent)', () => {
  for (const folder of folders) {
    if (!existsSync(`${goldenFolder}${folder}`)) continue;
    for (const file of readdirSync(`${goldenFolder}${folder}`)) {
      const scenario = JSON.parse(readFileSync(`${goldenFolder}${folder}/${file}`, 'utf8')) as { steps: Step[] };
      it(`are ours as well: ${folder}/${file}`, () => {
        const replay = new Replay();
        for (const [i, step] of scenario.steps.entries()) {
          const result = replay.answer(step);
          if (result) expect.soft(result.actual, `step ${i}: ${step.method} ${step.path}`).toEqual(result.expected);
        }
      });
    }
  }
});
