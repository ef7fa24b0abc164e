import type { Client } from '@tektite/client';
import { type DynamicObject, formatTime } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';
import { type ApplyManifestOptions, attemptApply, preparedManifest } from '../apply/apply-manifest.ts';
import type { ApplyReport, ObjectResult } from '../apply/apply-result.ts';
import { conflictsOf } from '../apply/explain-failure.ts';
import type { Manifest } from '../manifest.ts';
import { describeObject, identityText, referenceTo } from '../object-identity.ts';
import { waitForObjects } from '../wait/wait-for-objects.ts';
import { comparable, compareObjects, fingerprint, withoutChance, withoutEmptyTimes } from './compare-objects.ts';
import { liveObjects, webhooksAsked } from './live-objects.ts';
import type { Plan, PlanChoices, PlannedAction, PlannedObject } from './plan.ts';
import type { OpenPlanServer, PlanServer } from './plan-server.ts';

export interface PlanOptions extends PlanChoices, Pick<ApplyManifestOptions, 'signal' | 'order' | 'dependencies'> {
  /** JSON pointers of fields whose changes are not reported. */
  readonly ignore?: readonly string[];
}

/** How long things may take on a server that runs no controllers: they happen at once, or never. */
const forkPatienceMs = 5_000;

/**
 * Plans {@link applyManifest}. The live objects that it would touch are copied to a separate server, and the manifest
 * is applied there for real: new definitions and their instances, defaults, validation, conflicts, prunes. So the plan
 * is the result of the same code on the same objects.
 *
 * Its notes list the limits: webhooks of the cluster are not called, and generated values (addresses) are left out.
 *
 * @example const plan = await planManifest(client, manifest, openServer, { set: { name: 'tekton', namespace: 'ci' } });
 * for (const { reference, action, changes } of plan.objects) console.log(action, reference.name, changes.length);
 */
export async function planManifest(
  client: Client,
  manifest: Manifest,
  openServer: OpenPlanServer,
  options: PlanOptions = {},
): Promise<Plan> {
  const prepared = await preparedManifest(client, manifest, options);
  const live = await liveObjects(client, prepared, options);
  const server = await openServer();
  try {
    const notes = await seed(server, [...live.values()], options.signal);
    const report = await attemptApply(server.client, manifest, {
      ...options,
      onFailure: 'continue',
      patienceMs: forkPatienceMs,
      history: false,
    });
    const objects = plannedObjects(report, prepared, live, options);
    const otherVersion = await versionNote(client, server.client);
    if (otherVersion && objects.some(({ action }) => action === 'create' || action === 'recreate'))
      notes.push(otherVersion);
    const written = objects.filter(({ action }) => ['create', 'update', 'recreate', 'prune'].includes(action));
    const asked = await webhooksAsked(
      client,
      written.map(({ reference }) => ({ ...reference, metadata: {} })),
    );
    if (asked.length > 0)
      notes.push(`webhooks of the cluster may change or refuse what is planned: ${[...new Set(asked)].join(', ')}`);
    return { ...header(client, options), method: 'fork', objects, notes };
  } finally {
    await server.close();
  }
}

/** A created object gets the defaults of its server. */
async function versionNote(live: Client, fork: Client): Promise<string | undefined> {
  const [theirs, ours] = await Promise.all([minorVersion(live), minorVersion(fork)]);
  if (theirs === undefined || ours === undefined || theirs === ours) return undefined;
  return `the cluster is Kubernetes ${theirs}: what is created may get other defaults there than those of ${ours} shown here`;
}

async function minorVersion(client: Client): Promise<string | undefined> {
  const { body } = await client.request({ method: 'GET', path: '/version' });
  const { major, minor } = (body ?? {}) as { readonly major?: string; readonly minor?: string };
  return major && minor ? `${major}.${minor.replace('+', '')}` : undefined;
}

/**
 * The same, by asking the cluster to do a dry run, object by object: its webhooks are asked, too. But what depends on something
 * that is not there yet, as the instances of a new definition, cannot be known this way.
 */
export async function planByDryRun(client: Client, manifest: Manifest, options: PlanOptions = {}): Promise<Plan> {
  const prepared = await preparedManifest(client, manifest, options);
  const live = await liveObjects(client, prepared, options);
  const report = await attemptApply(client, manifest, { ...options, onFailure: 'continue', dryRun: true });
  const objects = plannedObjects(report, prepared, live, options);
  return { ...header(client, options), method: 'dryRun', objects, notes: [] };
}

function header(client: Client, options: PlanOptions): Pick<Plan, 'apiVersion' | 'kind' | 'createdAt' | 'options'> {
  const { ignore: _, signal: __, order: ___, dependencies: ____, ...kept } = options;
  return { apiVersion: 'tektite.dev/v1', kind: 'Plan', createdAt: formatTime(client.clock.now()), options: kept };
}

/** Copies live objects, definitions first. Objects that cannot be copied are reported in notes. */
async function seed(server: PlanServer, objects: readonly DynamicObject[], signal?: AbortSignal): Promise<string[]> {
  const notes: string[] = [];
  const copy = async (object: DynamicObject) => {
    // A terminating object counts as deleted; no controller completes its deletion here.
    if (object.metadata.deletionTimestamp) {
      notes.push(`${describeObject(object)} is being deleted; the plan counts it as gone`);
      return;
    }
    try {
      await server.seed(withoutEmptyTimes(object));
    } catch (error) {
      notes.push(`${describeObject(object)} could not be copied, and counts as absent: ${(error as Error).message}`);
    }
  };
  const rank = ({ kind }: DynamicObject) => (kind === 'CustomResourceDefinition' ? 0 : kind === 'Namespace' ? 1 : 2);
  const definitions = objects.filter((object) => rank(object) === 0);
  for (const definition of definitions) await copy(definition);
  if (definitions.length > 0)
    await waitForObjects(server.client, definitions.map(referenceTo), {
      timeoutMs: forkPatienceMs,
      ...(signal ? { signal } : {}),
    });
  for (const object of objects.filter((each) => rank(each) > 0).sort((a, b) => rank(a) - rank(b))) await copy(object);
  server.client.discovery.forget();
  return notes;
}

function plannedObjects(
  report: ApplyReport,
  prepared: Manifest,
  live: ReadonlyMap<string, DynamicObject>,
  options: PlanOptions,
): PlannedObject[] {
  const wanted = new Map(prepared.objects.map((object) => [identityText(object), object]));
  return [...report.results, ...report.pruned].map((result) => {
    const key = identityText(result.reference);
    const before = live.get(key);
    return plannedObject(
      result,
      before?.metadata.deletionTimestamp ? undefined : before,
      wanted.get(key),
      options,
      before,
    );
  });
}

const actions: Readonly<Record<string, PlannedAction>> = {
  created: 'create',
  configured: 'update',
  unchanged: 'none',
  recreated: 'recreate',
  pruned: 'prune',
  kept: 'keep',
  skipped: 'none',
};

function plannedObject(
  result: ObjectResult,
  live: DynamicObject | undefined,
  wanted: DynamicObject | undefined,
  { ignore }: PlanOptions,
  found: DynamicObject | undefined,
): PlannedObject {
  const { reference, error } = result;
  const conflicts = error ? conflictsOf(error.cause) : [];
  const action = conflicts.length > 0 ? 'conflict' : (actions[result.action] ?? 'failed');
  const before = live && comparable(live);
  const after = shownAfter(action, result.object, wanted);
  const changes = after || action === 'prune' ? compareObjects(before, after, ignore) : [];
  const onlyOwners = action === 'update' && changes.length === 0;
  const reason = error?.message ?? result.reason ?? (onlyOwners ? 'only who owns its fields changes' : undefined);
  return {
    reference,
    action,
    ...(reason === undefined ? {} : { reason }),
    ...(conflicts.length > 0 ? { conflicts } : {}),
    changes,
    ...(before && changes.length > 0 ? { before: formatYaml(before) } : {}),
    ...(after && changes.length > 0 ? { after: formatYaml(after) } : {}),
    fingerprint: fingerprint(found),
  };
}

function shownAfter(
  action: PlannedAction,
  made: DynamicObject | undefined,
  wanted: DynamicObject | undefined,
): DynamicObject | undefined {
  if (!made || !['create', 'update', 'recreate', 'none'].includes(action)) return undefined;
  const isNew = action === 'create' || action === 'recreate';
  return comparable(isNew && wanted ? withoutChance(made, wanted) : made);
}
