/** Tekton Triggers on Tektite's controller runtime. */

// The system
export { type TriggersOptions, triggersSystem } from './system.ts';
export { triggersVersion } from './config/shipped-objects.ts';

// One event, without a cluster
export {
  traceEvent,
  type TracedInterceptor,
  type TracedTrigger,
  type TraceRequest,
} from './sink/trace-event.ts';
export { headersOf } from './sink/send-request.ts';

// Receiving events
export { type ListenerHostOptions, RunningListenerHost, startListenerHost } from './sink/listener-host.ts';
