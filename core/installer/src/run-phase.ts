import { isClientError } from '@tektite/client';
import { inParallel, referenceTo } from '@tektite/manifest';
import { type DynamicObject, isStatusError, sleep } from '@tektite/meta';
import { actOnObject, deleteObject, type ObjectOutcome } from './act-on-object.ts';
import { decideObject } from './decide-object.ts';
import type { InstallPhase } from './dialect.ts';
import type { InstallMethod } from './method/install-method.ts';
import type { PhaseFailure } from './phase-failure.ts';
import { readIfKnown } from './read-object.ts';
import type { ObjectReadiness, ReadinessCheck } from './readiness/readiness-check.ts';
import type { SetRun } from './set-run.ts';

/** Others may write the same object; what is wanted is then decided again. */
const attempts = 3;
const firstLookMs = 50;
const longestLookMs = 1_000;

/** Runs one phase; the first thing that did not go well, if any. */
export async function runPhase(run: SetRun, phase: InstallPhase): Promise<PhaseFailure | undefined> {
  const objects = run.objectsOf(phase);
  for (const part of phase.install ? partsOf(objects, phase) : []) {
    const failure = await installObjects(run, part);
    if (failure) return failure;
  }
  return phase.check ? checkObjects(run, objects, phase.check, phase.patienceMs ?? 0) : undefined;
}

function partsOf(objects: readonly DynamicObject[], { rank }: InstallPhase): readonly (readonly DynamicObject[])[] {
  if (!rank) return [objects];
  const ranks = [...new Set(objects.map(rank))].sort((a, b) => a - b);
  return ranks.map((each) => objects.filter((object) => rank(object) === each));
}

async function installObjects(run: SetRun, objects: readonly DynamicObject[]): Promise<PhaseFailure | undefined> {
  const failures = new Map<DynamicObject, PhaseFailure>();
  let stopped = false;
  await inParallel(objects, run.dialect.concurrency ?? 4, async (object) => {
    run.signal?.throwIfAborted();
    if (stopped) return;
    const outcome = await attempt(run, object);
    if (outcome.done) return;
    failures.set(object, { object: referenceTo(object), ...outcome });
    // What is only waited for does not keep the others from being made.
    stopped = outcome.cause !== 'waiting';
  });
  const inOrder = objects.flatMap((object) => failures.get(object) ?? []);
  return inOrder.find(({ cause }) => cause !== 'waiting') ?? inOrder[0];
}

type Outcome = ObjectOutcome & { readonly error?: Error };

async function attempt(run: SetRun, object: DynamicObject): Promise<Outcome> {
  if (!object.metadata.name) return { done: false, cause: 'error', message: `a ${object.kind} has no name` };
  const method = run.methodOf(object) as InstallMethod;
  for (let attempt = 1; ; attempt++) {
    try {
      return await installObject(run, object, method);
    } catch (error) {
      run.signal?.throwIfAborted();
      if (!isStatusError(error) && !isClientError(error)) throw error;
      const { message } = error;
      const passes = isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists');
      if (!passes) return { done: false, cause: 'error', message, error };
      if (attempt === attempts) return { done: false, cause: 'waiting', message, error };
    }
  }
}

/** Observe, decide, act. */
async function installObject(run: SetRun, object: DynamicObject, method: InstallMethod): Promise<ObjectOutcome> {
  const { client, dialect, self, signal } = run;
  const [prepared, live] = await Promise.all([run.prepare(object, method), run.read(object)]);
  const action = decideObject({ self, prepared, live, now: client.clock.now() }, method, dialect);
  const outcome = await actOnObject({ client, dialect, method, prepared, live, ...(signal ? { signal } : {}) }, action);
  if (!outcome.done) return outcome;
  if (outcome.object) run.see(object, outcome.object);
  if (outcome.change) run.record(object, outcome.change, outcome.why);
  return outcome;
}

async function checkObjects(
  run: SetRun,
  objects: readonly DynamicObject[],
  check: ReadinessCheck,
  patienceMs: number,
): Promise<PhaseFailure | undefined> {
  const { clock } = run.client;
  const until = clock.monotonic() + patienceMs;
  for (const object of objects) {
    for (let pause = firstLookMs, first = true; ; pause = Math.min(pause * 2, longestLookMs), first = false) {
      const failure = await checkObject(run, object, check, first);
      if (!failure) break;
      if (failure.cause !== 'notReady' || clock.monotonic() + pause > until) return failure;
      await sleep(clock, pause, run.signal);
    }
  }
  return undefined;
}

async function checkObject(
  run: SetRun,
  object: DynamicObject,
  check: ReadinessCheck,
  mayBeOld: boolean,
): Promise<PhaseFailure | undefined> {
  const reference = referenceTo(object);
  try {
    const live = (mayBeOld ? run.lastSeen(object) : undefined) ?? (await run.read(object));
    const readiness = live ? await readinessOf(run, live, check) : absent;
    if (readiness.ready) return undefined;
    if (readiness.remove && live) {
      await deleteObject(run.client, live, undefined, run.signal);
      run.record(object, 'deleted', readiness.message);
    }
    const { reason, message, broken } = readiness;
    return { cause: broken ? 'broken' : 'notReady', object: reference, reason, message };
  } catch (error) {
    run.signal?.throwIfAborted();
    if (!isStatusError(error) && !isClientError(error)) throw error;
    return { cause: 'error', object: reference, message: error.message, error };
  }
}

const absent: ObjectReadiness = { ready: false, reason: 'NotFound', message: 'it is not there' };

async function readinessOf(run: SetRun, live: DynamicObject, check: ReadinessCheck): Promise<ObjectReadiness> {
  const others = await Promise.all(
    (check.alsoRead?.(live) ?? []).map((reference) => readIfKnown(run.client, reference, run.signal)),
  );
  return check.decide(live, { now: run.client.clock.now(), others });
}
