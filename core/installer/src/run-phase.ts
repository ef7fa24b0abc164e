import { isClientError, isConflict, retryOnConflict } from '@tektite/client';
import { inParallel, referenceTo } from '@tektite/manifest';
import { type DynamicObject, isStatusError, sleep } from '@tektite/meta';
import { actOnObject, deleteObject, type ObjectOutcome } from './act-on-object.ts';
import { decideObject } from './decide-object.ts';
import type { InstallPhase } from './dialect.ts';
import type { InstallMethod } from './method/install-method.ts';
import type { PhaseFailure } from './phase-failure.ts';
import { readIfKnown } from './read-object.ts';
import type { ObjectReadiness, ReadinessCheck } from './readiness/readiness-check.ts';
import type { SetInstallation } from './set-installation.ts';

/** Others may write the same object; what is wanted is then decided again. */
const attempts = 3;
const firstPollMs = 50;
const maxPollMs = 1_000;

/** Runs one phase; the first thing that did not go well, if any. */
export async function runPhase(installation: SetInstallation, phase: InstallPhase): Promise<PhaseFailure | undefined> {
  const objects = installation.objectsOf(phase);
  for (const part of phase.install ? partsOf(objects, phase) : []) {
    const failure = await installObjects(installation, part);
    if (failure) return failure;
  }
  return phase.check ? checkObjects(installation, objects, phase.check, phase.patienceMs ?? 0) : undefined;
}

function partsOf(objects: readonly DynamicObject[], { rank }: InstallPhase): readonly (readonly DynamicObject[])[] {
  if (!rank) return [objects];
  const ranks = [...new Set(objects.map(rank))].sort((a, b) => a - b);
  return ranks.map((each) => objects.filter((object) => rank(object) === each));
}

async function installObjects(
  installation: SetInstallation,
  objects: readonly DynamicObject[],
): Promise<PhaseFailure | undefined> {
  const failures = new Map<DynamicObject, PhaseFailure>();
  let stopped = false;
  await inParallel(objects, installation.dialect.concurrency ?? 4, async (object) => {
    installation.signal?.throwIfAborted();
    if (stopped) return;
    const outcome = await attempt(installation, object);
    if (outcome.done) return;
    failures.set(object, { object: referenceTo(object), ...outcome });
    // An object that only waits does not block the creation of the others.
    stopped = outcome.cause !== 'waiting';
  });
  const inOrder = objects.flatMap((object) => failures.get(object) ?? []);
  return inOrder.find(({ cause }) => cause !== 'waiting') ?? inOrder[0];
}

type Outcome = ObjectOutcome & { readonly error?: Error };

async function attempt(installation: SetInstallation, object: DynamicObject): Promise<Outcome> {
  if (!object.metadata.name) return { done: false, cause: 'error', message: `a ${object.kind} has no name` };
  const method = installation.methodOf(object) as InstallMethod;
  try {
    return await retryOnConflict(() => installObject(installation, object, method), { attempts });
  } catch (error) {
    installation.signal?.throwIfAborted();
    if (!isStatusError(error) && !isClientError(error)) throw error;
    return { done: false, cause: isConflict(error) ? 'waiting' : 'error', message: error.message, error };
  }
}

/** Observe, decide, act. */
async function installObject(
  installation: SetInstallation,
  object: DynamicObject,
  method: InstallMethod,
): Promise<ObjectOutcome> {
  const { client, dialect, self, signal } = installation;
  const [prepared, live] = await Promise.all([installation.prepare(object, method), installation.read(object)]);
  const action = decideObject({ self, prepared, live, now: client.clock.now() }, method, dialect);
  const outcome = await actOnObject({ client, dialect, method, prepared, live, ...(signal ? { signal } : {}) }, action);
  if (!outcome.done) return outcome;
  if (outcome.object) installation.see(object, outcome.object);
  if (outcome.change) installation.record(object, outcome.change, outcome.why);
  return outcome;
}

async function checkObjects(
  installation: SetInstallation,
  objects: readonly DynamicObject[],
  check: ReadinessCheck,
  patienceMs: number,
): Promise<PhaseFailure | undefined> {
  const { clock } = installation.client;
  const until = clock.monotonic() + patienceMs;
  for (const object of objects) {
    for (let pause = firstPollMs, first = true; ; pause = Math.min(pause * 2, maxPollMs), first = false) {
      const failure = await checkObject(installation, object, check, first);
      if (!failure) break;
      if (failure.cause !== 'notReady' || clock.monotonic() + pause > until) return failure;
      await sleep(clock, pause, installation.signal);
    }
  }
  return undefined;
}

async function checkObject(
  installation: SetInstallation,
  object: DynamicObject,
  check: ReadinessCheck,
  mayBeOld: boolean,
): Promise<PhaseFailure | undefined> {
  const reference = referenceTo(object);
  try {
    const live = (mayBeOld ? installation.lastSeen(object) : undefined) ?? (await installation.read(object));
    const readiness = live ? await readinessOf(installation, live, check) : absent;
    if (readiness.ready) return undefined;
    if (readiness.remove && live) {
      await deleteObject(installation.client, live, undefined, installation.signal);
      installation.record(object, 'deleted', readiness.message);
    }
    const { reason, message, broken } = readiness;
    return { cause: broken ? 'broken' : 'notReady', object: reference, reason, message };
  } catch (error) {
    installation.signal?.throwIfAborted();
    if (!isStatusError(error) && !isClientError(error)) throw error;
    return { cause: 'error', object: reference, message: error.message, error };
  }
}

const absent: ObjectReadiness = { ready: false, reason: 'NotFound', message: 'it is not there' };

async function readinessOf(
  installation: SetInstallation,
  live: DynamicObject,
  check: ReadinessCheck,
): Promise<ObjectReadiness> {
  const others = await Promise.all(
    (check.alsoRead?.(live) ?? []).map((reference) => readIfKnown(installation.client, reference, installation.signal)),
  );
  return check.decide(live, { now: installation.client.clock.now(), others });
}
