import type { TransportRequest } from '@tektite/client';
import { type FaultDecision, requestFaults, watchFaults } from '@tektite/testkit';
import type { Fault, Rates } from './fault.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import { requestPoint, resourceOf } from './request-point.ts';

/**
 * Decides the faults of a component's transport by the schedule: at most one for each request, and one for each event of a watch. The
 * decision is made when the first fault of the list is considered.
 */
export function scheduledDecision(
  schedule: FaultSchedule,
  component: string,
  rates: Rates,
  onStrike: (fault: Fault, request: TransportRequest) => void,
): FaultDecision {
  const decided = new WeakMap<TransportRequest, Fault | undefined>();
  return (fault, request) => {
    if (fault === requestFaults[0])
      decided.set(request, schedule.decide(component, pointOf(request), requestFaults, rates));
    else if (fault === watchFaults[0])
      decided.set(request, schedule.decide(component, `event ${resourceOf(request.path)}`, watchFaults, rates));
    const due = decided.get(request);
    if (due?.fault !== fault) return undefined;
    schedule.strike(due);
    onStrike(due, request);
    return due.amount;
  };
}

function pointOf(request: TransportRequest): string {
  return request.query?.get('watch') === 'true' ? `WATCH ${resourceOf(request.path)}` : requestPoint(request);
}
