import type { Container, Pod } from '@tektite/schema/kubernetes';
import { describe, expect, test } from 'vitest';
import {
  type ContainerInstance,
  type ContainerRecord,
  containersOf,
  ephemeralContainersOf,
  newRecord,
} from '../container/container-record.ts';
import { decide, type PodAction } from './decide.ts';
import { backOffUntil, nextBackOff, shouldRestart } from '../container/restart-policy.ts';
import { restoreRecords } from './restore-records.ts';

const now = 1_000_000;
const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: 'x', ...more });
const sidecar = (name: string) => container(name, { restartPolicy: 'Always' });

function podOf(init: Container[], main: Container[], restartPolicy = 'Always'): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns', uid: 'u' },
    spec: { restartPolicy, initContainers: init, containers: main },
  };
}

const runs: ContainerInstance = { imageID: '', started: true, ready: true };
const starting: ContainerInstance = { ...runs, started: false, ready: false };
const ended = (exitCode: number, finishedAt = now): ContainerInstance => ({
  ...starting,
  termination: { exitCode, reason: '', finishedAt },
});

/** The actions, in short, for a Pod whose containers are in these states. */
function actions(pod: Pod, states: Readonly<Record<string, Partial<ContainerRecord>>>, ending = false): string[] {
  const records = new Map(
    [...containersOf(pod), ...ephemeralContainersOf(pod)].map((entry) => [
      entry.container.name,
      { ...newRecord(entry), ...states[entry.container.name] },
    ]),
  );
  return decide({ pod, records, now, ending }).map(short);
}

function short(action: PodAction): string {
  return 'name' in action ? `${action.type} ${action.name}` : action.type;
}

describe('what is next for a Pod', () => {
  const plain = podOf([], [container('a'), container('b')]);
  const staged = podOf([container('i1'), container('i2')], [container('a')]);
  const helped = podOf([container('i1'), sidecar('s'), container('i2')], [container('a')]);
  const once = podOf([container('i1')], [container('a')], 'Never');
  const debugged: Pod = {
    ...once,
    spec: { ...once.spec, containers: [container('a')], ephemeralContainers: [container('e')] },
  };

  test.each<[string, Pod, Readonly<Record<string, Partial<ContainerRecord>>>, boolean, string[]]>([
    ['all containers start together', plain, {}, false, ['start a', 'start b']],
    [
      'an ephemeral container starts beside those that run',
      debugged,
      { i1: { instance: ended(0) }, a: { instance: runs } },
      false,
      ['start e'],
    ],
    [
      'an ephemeral container that ended is not run again',
      debugged,
      { i1: { instance: ended(0) }, a: { instance: runs }, e: { instance: ended(1) } },
      false,
      [],
    ],
    [
      'an ephemeral container does not keep a Pod from completing',
      debugged,
      { i1: { instance: ended(0) }, a: { instance: ended(0) }, e: { instance: runs } },
      false,
      ['stopAll'],
    ],
    ['nothing, when all run', plain, { a: { instance: runs }, b: { instance: runs } }, false, []],
    [
      'one that ended starts again, without the others',
      plain,
      { a: { instance: ended(0) }, b: { instance: runs } },
      false,
      ['start a'],
    ],
    [
      'one that cannot start waits, without holding the others',
      plain,
      { a: { retryAt: now + 5 } },
      false,
      ['wait', 'start b'],
    ],
    [
      'one that fails often waits',
      plain,
      { a: { instance: ended(1), backOff: { delayMs: 10_000, updatedAt: now - 5000 } }, b: { instance: runs } },
      false,
      ['backOff a'],
    ],
    [
      'one that is being stopped is left alone',
      plain,
      { a: { instance: runs, stopping: true }, b: { instance: runs } },
      false,
      [],
    ],
    [
      'an unhealthy one is stopped',
      plain,
      { a: { instance: { ...runs, unhealthy: 'liveness' } }, b: { instance: runs } },
      false,
      ['stop a'],
    ],
    ['all stop at the end', plain, { a: { instance: runs } }, true, ['stopAll']],
    ['nothing runs at the end', plain, { a: { instance: ended(0) } }, true, ['finish']],
    ['init containers start one by one', staged, {}, false, ['start i1']],
    ['the next waits for the one before', staged, { i1: { instance: runs } }, false, []],
    ['the next follows success', staged, { i1: { instance: ended(0) } }, false, ['start i2']],
    ['a failed one is repeated', staged, { i1: { instance: ended(1) } }, false, ['start i1']],
    [
      'the others follow the last',
      staged,
      { i1: { instance: ended(0) }, i2: { instance: ended(0) } },
      false,
      ['start a'],
    ],
    ['init is not repeated once the others began', staged, { a: { instance: ended(1) } }, false, ['start a']],
    [
      'a sidecar holds the rest until it is up',
      helped,
      { i1: { instance: ended(0) }, s: { instance: starting } },
      false,
      [],
    ],
    [
      'the rest goes on beside a sidecar',
      helped,
      { i1: { instance: ended(0) }, s: { instance: runs } },
      false,
      ['start i2'],
    ],
    [
      'a sidecar that fell comes back beside the rest',
      helped,
      { i1: { instance: ended(0) }, s: { instance: ended(1) }, i2: { instance: ended(0) }, a: { instance: runs } },
      false,
      ['start s'],
    ],
    [
      'a failed init container ends a Pod that repeats nothing',
      once,
      { i1: { instance: ended(1) } },
      false,
      ['finish'],
    ],
    [
      'a Pod that restarts nothing completes after its containers',
      once,
      { i1: { instance: ended(0) }, a: { instance: ended(3) } },
      false,
      ['finish'],
    ],
    [
      'sidecars end when all others have',
      podOf([sidecar('s')], [container('a')], 'Never'),
      { s: { instance: runs }, a: { instance: ended(0) } },
      false,
      ['stopAll'],
    ],
  ])('%s', (_, pod, states, ending, expected) => {
    expect(actions(pod, states, ending)).toEqual(expected);
  });
});

describe('a container that ended', () => {
  test.each([
    ['Always', 0, true],
    ['Always', 1, true],
    ['OnFailure', 0, false],
    ['OnFailure', 1, true],
    ['Never', 1, false],
  ])('under %s with code %i is repeated: %s', (policy, code, expected) => {
    expect(shouldRestart(podOf([], [], policy), container('a'), 'app', code)).toBe(expected);
  });

  test('follows its restart rules before the policy', () => {
    const rules = container('a', {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
    });
    expect(shouldRestart(podOf([], [], 'Never'), rules, 'app', 42)).toBe(true);
    expect(shouldRestart(podOf([], [], 'Always'), rules, 'app', 1)).toBe(false);
  });

  test('waits twice as long each time, and forgets after ten minutes', () => {
    let backOff = nextBackOff(undefined, now, now);
    const delays = [backOff.delayMs];
    for (let i = 0; i < 6; i++) {
      backOff = nextBackOff(backOff, now, now);
      delays.push(backOff.delayMs);
    }
    expect(delays).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    expect(backOffUntil(backOff, now, now)).toBe(now + 300_000);
    expect(backOffUntil(backOff, now + 600_001, now + 600_001)).toBeUndefined();
    expect(nextBackOff(backOff, now + 600_001, now + 600_001).delayMs).toBe(10_000);
  });
});

describe('a Pod that another process began', () => {
  const status = { name: 'a', image: 'x', imageID: '', ready: true, restartCount: 2 };
  const withStatus = (restartPolicy: string, phase: string, state: object): Pod => ({
    ...podOf([container('i')], [container('a')], restartPolicy),
    status: {
      phase,
      initContainerStatuses: [{ ...status, name: 'i', state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      containerStatuses: [{ ...status, state }],
    },
  });

  test('has lost the containers that ran', () => {
    const records = restoreRecords(withStatus('Never', 'Running', { running: { startedAt: '2026-01-01T00:00:00Z' } }));
    expect(records.get('a')?.instance?.termination).toMatchObject({ exitCode: 137, reason: 'ContainerStatusUnknown' });
    expect(records.get('i')?.instance?.termination?.exitCode).toBe(0);
  });

  test('begins with its init containers when it goes on', () => {
    const records = restoreRecords(withStatus('Always', 'Running', { running: {} }));
    expect(records.get('i')?.instance).toBeUndefined();
    expect(records.get('i')?.restartCount).toBe(3);
    expect(records.get('a')?.restartCount).toBe(2);
  });

  test('is left as it is when it had completed', () => {
    const records = restoreRecords(
      withStatus('Never', 'Succeeded', { terminated: { exitCode: 0, reason: 'Completed' } }),
    );
    expect(records.get('a')?.instance?.termination).toMatchObject({ exitCode: 0, reason: 'Completed' });
  });
});
