import { parseJson, stringifyJson } from '@tektite/meta';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Client } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { readSet } from '../set/apply-set.ts';
import { membersOf } from '../apply/prune.ts';
import { Manifest } from '../manifest.ts';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, identityText, type ObjectReference, referenceTo } from '../object-identity.ts';
import type { ManifestItem } from '../origin.ts';
import { readLive } from '../read-live.ts';
import { fingerprint } from './compare-objects.ts';
import type { Plan, PlanChoices } from './plan.ts';

/** A plan together with what it is a plan for. It holds the values of Secrets: keep it as one. */
export interface PlanFile {
  readonly plan: Plan;
  readonly manifest: Manifest;
}

const maxUnpackedBytes = 512 * 1024 * 1024;

export function writePlanFile({ plan, manifest }: PlanFile): string {
  const content = gzipSync(stringifyJson(manifest.items)).toString('base64');
  return `${JSON.stringify({ ...plan, content })}\n`;
}

/** Throws a ManifestError for a text that is no plan. */
export function readPlanFile(text: string, name: string): PlanFile {
  try {
    const { content, ...plan } = JSON.parse(text) as Plan & { readonly content?: string };
    if (plan.kind !== 'Plan' || plan.apiVersion !== 'tektite.dev/v1' || content === undefined) throw new Error('');
    const unpacked = gunzipSync(Buffer.from(content, 'base64'), { maxOutputLength: maxUnpackedBytes });
    return { plan, manifest: new Manifest(parseJson(unpacked.toString('utf8')) as ManifestItem[]) };
  } catch (error) {
    throw new ManifestError('SOURCE', `${name}: this is no plan that \`tektite plan --out\` wrote`, { cause: error });
  }
}

/** The objects that changed since the plan was made. */
export async function movedObjects(
  client: Client,
  plan: Plan,
  signal?: AbortSignal,
): Promise<readonly ObjectReference[]> {
  const moved: ObjectReference[] = [];
  for (const { reference, fingerprint: planned } of plan.objects) {
    if (!reference.name) continue;
    if (fingerprint(await readLive(client, reference, reference, signal)) !== planned) moved.push(reference);
  }
  const { set, prune = true } = plan.options;
  const contents = set && prune ? await readSet(client, set, signal) : undefined;
  if (!set || !contents) return moved;
  const known = new Set(plan.objects.map(({ reference }) => identityText(reference)));
  for (const member of await membersOf(client, set, contents, signal))
    if (!known.has(identityText(member)) && !member.metadata.deletionTimestamp) moved.push(referenceTo(member));
  return moved;
}

/** A plan was reviewed: nothing that it does not name is applied with it. */
function refuseUnplanned({ plan, manifest }: PlanFile): void {
  const planned = new Set<string>();
  for (const { reference } of plan.objects) {
    const { namespace: _, ...anywhere } = reference;
    planned.add(identityText(reference)).add(`any ${identityText(anywhere)}`);
  }
  // Namespaces are filled in, or taken away, on the way.
  const isPlanned = (object: DynamicObject) => {
    const { namespace, ...anywhere } = referenceTo(object);
    const isNamed = planned.has(identityText(object)) || planned.has(identityText(anywhere));
    return isNamed || (!namespace && planned.has(`any ${identityText(anywhere)}`));
  };
  const strange = manifest.objects.find((object) => object.metadata.name && !isPlanned(object));
  if (strange)
    throw new ManifestError(
      'SOURCE',
      `the plan brings ${describeObject(strange)}, which it does not name; make a new plan`,
    );
}

/** Refuses when the cluster moved since the plan was made. Gives what `applyManifest` needs to do what was planned. */
export async function checkPlan(client: Client, file: PlanFile, signal?: AbortSignal): Promise<PlanChoices> {
  const { plan } = file;
  refuseUnplanned(file);
  const moved = await movedObjects(client, plan, signal);
  if (moved.length === 0) return plan.options;
  const names = moved.map(describeObject);
  const shown = names.slice(0, 5).join(', ');
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  throw new ManifestError(
    'PLAN_OUTDATED',
    `the cluster moved since the plan was made (${plan.createdAt}): ${shown}${more}; make a new plan`,
    { details: { moved: names } },
  );
}
