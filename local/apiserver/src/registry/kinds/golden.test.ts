import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  cloneJson,
  type DynamicObject,
  formatFieldErrors,
  formatGroupKind,
  type KubeObject,
  type Mutable,
} from '@tektite/meta';
import { findBuiltinResource } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import type { KindStrategy, StrategyContext } from '../kind-strategy.ts';
import { strategyOf } from './index.ts';
import { validateChangedObject, validateNewObject } from './validate-object.ts';

/**
 * Recorded answers of a real API server, replayed against the strategies alone: what a create or a merge patch makes of
 * an object, or the words with which it is refused. The data lives outside of the repository.
 */

const goldenFolder = fileURLToPath(new URL('../../../../../../shared/golden/apiserver/', import.meta.url));
const folders = ['validation', 'defaults', 'subresources', 'crud'];

interface Step {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly compare?: { readonly unordered?: boolean; readonly skip?: boolean };
  readonly response?: { readonly code: number; readonly body: Record<string, unknown> };
}

interface Target {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly strategy: KindStrategy;
}

const context: StrategyContext = { now: Date.parse('2026-11-15T04:00:00Z'), user: { name: 'admin', groups: [] } };

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
  return { group, kind: kind.kind, namespaced, namespace, name, subresource, strategy };
}

/** What decoding does to a body, as far as these recordings need it. */
function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([, field]) => field !== null && !(Array.isArray(field) && field.length === 0),
  );
  return Object.fromEntries(entries.map(([key, field]) => [key, decode(field)]));
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

function withoutVolatile(object: Record<string, unknown>): Record<string, unknown> {
  const { metadata: _, status: __, kind: ___, apiVersion: ____, ...rest } = object;
  return JSON.parse(hideUids(JSON.stringify(rest))) as Record<string, unknown>;
}

class Replay {
  private readonly stored = new Map<string, KubeObject>();

  /** Our answer to a step, in the form in which the recorded one is compared; `undefined` for what is not tried. */
  answer(step: Step): { expected: unknown; actual: unknown } | undefined {
    const target = step.path && targetOf(step.path);
    if (!target || !step.response || step.compare?.skip || typeof step.body !== 'object') return undefined;
    if (step.method === 'POST' && target.subresource === undefined) return this.create(step, target);
    const isMerge = /merge-patch/.test(step.headers?.['Content-Type'] ?? '');
    if (step.method === 'PATCH' && isMerge && !Array.isArray(step.body)) return this.patch(step, target);
    return undefined;
  }

  private create(step: Step, target: Target) {
    const object = decode(step.body) as Mutable<DynamicObject>;
    object.metadata = {
      uid: '00000000-0000-0000-0000-000000000000',
      creationTimestamp: '2026-11-15T04:00:00Z',
      ...object.metadata,
      ...(target.namespaced && { namespace: target.namespace }),
    };
    if (!object.metadata.name) return undefined;
    target.strategy.default?.(object);
    target.strategy.prepareForCreate?.(object, context);
    const errors = validateNewObject(target.strategy, object, target, context);
    return this.compare(step, target, object, errors, !step.path?.includes('dryRun=All'));
  }

  private patch(step: Step, target: Target) {
    const old = this.stored.get(`${target.kind}/${target.namespace}/${target.name}`);
    if (!old) return undefined;
    const object = decode(mergePatch(cloneJson(old), step.body)) as Mutable<DynamicObject>;
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
    return { expected: withoutVolatile(body), actual: withoutVolatile(object) };
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
