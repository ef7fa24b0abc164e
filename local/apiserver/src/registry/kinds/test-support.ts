import { formatFieldError, type KubeObject, type Mutable } from '@tektite/meta';
import { builtinKinds } from '@tektite/schema/kubernetes';
import { normalizeObject } from '../../codec/decode-object.ts';
import type { KindStrategy, StrategyContext, TableCell } from '../kind-strategy.ts';
import { strategyOf } from './index.ts';
import { validateChangedObject, validateNewObject } from './validate-object.ts';

/** Helpers for tests of strategies: an object goes the way that it goes in the server, without the server. */

/** An object whose fields a test reads and writes as it likes: it knows what it put there. */
// oxlint-disable-next-line typescript/no-explicit-any
export type TestObject = Mutable<KubeObject> & { [field: string]: any };

export const now = Date.parse('2026-03-01T12:00:00Z');

const context: StrategyContext = { now, user: { name: 'jane', groups: ['devs'] } };

/** `apiVersion`, `kind` and a name, and what the test is about. */
export function objectOf(apiVersion: string, kind: string, content: object): TestObject {
  const object = { apiVersion, kind, metadata: { name: 'x' }, ...content };
  return object as unknown as TestObject;
}

function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
  const builtin = builtinKinds.find(
    (candidate) => candidate.group === group && candidate.version === version && candidate.kind === kind,
  );
  if (!builtin) throw new Error(`no kind ${apiVersion} ${kind}`);
  const strategy: KindStrategy = strategyOf(group, version, kind) ?? {};
  return { builtin, strategy, scope: { namespaced: builtin.namespaced } };
}

/** The object as it is after reading and defaulting. */
export function defaulted(object: TestObject): TestObject {
  const { builtin, strategy } = kindOf(object);
  const metadata = { ...(builtin.namespaced ? { namespace: 'default' } : {}), uid: 'u', ...object.metadata };
  const draft = normalizeObject(builtin.definition, { ...object, metadata }) as unknown as TestObject;
  strategy.default?.(draft);
  return draft;
}

/** The object as it is stored. */
export function created(object: TestObject): TestObject {
  const { strategy } = kindOf(object);
  const draft = defaulted(object);
  strategy.prepareForCreate?.(draft, context);
  draft.metadata.resourceVersion = '1';
  draft.metadata.creationTimestamp = '2026-03-01T11:00:00Z';
  return draft;
}

/** The errors of a create, as `field: message`. */
export function createErrors(object: TestObject): string[] {
  const { strategy, scope } = kindOf(object);
  const draft = defaulted(object);
  strategy.prepareForCreate?.(draft, context);
  return validateNewObject(strategy, draft, scope, context).map(formatFieldError);
}

/** The errors of an update. */
export function updateErrors(old: TestObject, change: (object: TestObject) => void, subresource?: string): string[] {
  const { strategy, scope } = kindOf(old);
  const before = created(old);
  const draft = structuredClone(before);
  change(draft);
  const after = defaulted(draft);
  const part = subresource === undefined ? strategy : strategy.subresources?.[subresource];
  part?.prepareForUpdate?.(after, before, context);
  return validateChangedObject(strategy, after, before, scope, context, subresource).map(formatFieldError);
}

/** Advice given on create. */
export function createWarnings(object: TestObject): readonly string[] {
  return kindOf(object).strategy.warnings?.(defaulted(object), undefined) ?? [];
}

/** The cells of an object in the table of its kind. */
export function tableRow(object: TestObject): TableCell[] | undefined {
  return kindOf(object).strategy.table?.row(object, { now });
}
