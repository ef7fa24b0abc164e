/** Tekton Triggers on Tektite's controller runtime. */

// The system
export { type TriggersOptions, triggersSystem } from './system.ts';
export { triggersVersion } from './config/shipped-objects.ts';
