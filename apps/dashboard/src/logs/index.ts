/** Logs as rows, for the log worker and for benches. */
export { LogDocument, type LogMatch, type LogRow } from './log-document.ts';
