/** Events for users, counted and combined as client-go does. */
export type { EventReporter } from './event-object.ts';
export { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export type { EventText } from './event-text.ts';
