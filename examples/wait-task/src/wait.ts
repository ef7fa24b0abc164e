import { parseGoDuration } from '@tektite/go';
import type { CustomRun, CustomTaskProgress } from '@tektite/pipelines';

/** The reference in a Pipeline: `taskRef: {apiVersion: wait.example.com/v1, kind: Wait}`. */
export const waitTask = { apiVersion: 'wait.example.com/v1', kind: 'Wait' } as const;

/** How far a wait is, so many milliseconds after it began. The parameter `duration` says how long it takes. */
export function waited({ spec }: CustomRun, elapsedMs: number): CustomTaskProgress {
  const unknown = spec.params?.filter(({ name }) => name !== 'duration').map(({ name }) => name) ?? [];
  if (unknown.length > 0) return invalid(`there is no parameter ${unknown.join(', ')}; only duration`);
  const text = spec.params?.[0]?.value;
  if (typeof text !== 'string') return invalid('the parameter duration is missing');
  let milliseconds: number;
  try {
    milliseconds = Number(parseGoDuration(text)) / 1e6;
  } catch (error) {
    return invalid((error as Error).message);
  }
  const left = milliseconds - elapsedMs;
  if (left > 0) return { state: 'running', message: `Waiting for ${text}`, requeueMs: left };
  return { state: 'succeeded', message: `Waited for ${text}`, results: [{ name: 'waited', value: text }] };
}

function invalid(message: string): CustomTaskProgress {
  return { state: 'failed', reason: 'InvalidParams', message };
}
