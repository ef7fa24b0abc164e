/** The annotations of upstream on runs. */
const prefix = 'results.tekton.dev/';

export const annotations = {
  result: `${prefix}result`,
  record: `${prefix}record`,
  log: `${prefix}log`,
  eventList: `${prefix}eventlist`,
  stored: `${prefix}stored`,
  childReady: `${prefix}childReadyForDeletion`,
  /** JSON that people write, for the Result and for its summary. */
  forResult: `${prefix}resultAnnotations`,
  forSummary: `${prefix}recordSummaryAnnotations`,
} as const;
