import type { ResolutionRequestObject } from '../kinds/resolution-request.ts';

/** Whether a request has its final answer. */
export function isDone({ status }: ResolutionRequestObject): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Succeeded');
  return condition !== undefined && condition.status !== 'Unknown';
}
