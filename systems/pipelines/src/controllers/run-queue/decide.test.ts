import { describe, expect, it } from 'vitest';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import { decideQueue } from './decide.ts';

type State = 'waits' | 'runs' | 'ends' | 'over';

/** Runs in the order of their creation. */
function group(states: readonly State[], annotations: Record<string, string> = {}): PipelineRun[] {
  const words = { waits: 'PipelineRunPending', runs: undefined, ends: 'Cancelled', over: undefined };
  return states.map((state, index) => ({
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: {
      name: `r${index}`,
      uid: `u${index}`,
      creationTimestamp: `2026-01-01T00:00:0${index}Z`,
      annotations: { 'tektite.dev/concurrency-group': 'deploy', ...annotations },
    },
    spec: words[state] ? { status: words[state] } : {},
    status: state === 'over' ? { conditions: [{ type: 'Succeeded', status: 'True' }] } : {},
  })) as unknown as PipelineRun[];
}

function decided(members: PipelineRun[], started: readonly string[] = []) {
  const { start, cancel } = decideQueue(members, new Set(started));
  const names = (runs: readonly PipelineRun[]) => runs.map(({ metadata }) => metadata.name);
  return { start: names(start), cancel: names(cancel) };
}

const limit = (value: string) => ({ 'tektite.dev/concurrency-limit': value });
const replace = { 'tektite.dev/concurrency-strategy': 'cancel-in-progress' };

describe('the runs of a group', () => {
  it.each<[string, State[], Record<string, string>, string[], string[]]>([
    ['start one after the other', ['over', 'waits', 'waits'], {}, ['r1'], []],
    ['wait while one runs', ['runs', 'waits'], {}, [], []],
    ['wait while one is ending', ['ends', 'waits'], {}, [], []],
    ['run beside each other up to the limit', ['runs', 'waits', 'waits'], limit('2'), ['r1'], []],
    ['are not confused by a limit that is none', ['runs', 'waits'], limit('many'), [], []],
    ['cancel each other if they say so, those that wait too', ['runs', 'waits', 'waits'], replace, [], ['r0', 'r1']],
    ['start when those that they cancelled have completed', ['over', 'waits'], replace, ['r1'], []],
    ['are not cancelled twice', ['ends', 'waits'], replace, [], []],
    ['have nothing to decide when all have completed', ['over', 'over'], {}, [], []],
  ])('%s', (_title, states, annotations, start, cancel) => {
    expect(decided(group(states, annotations))).toEqual({ start, cancel });
  });

  it('count a just started one as running', () => {
    expect(decided(group(['waits', 'waits']), ['u0'])).toEqual({ start: [], cancel: [] });
  });
});
