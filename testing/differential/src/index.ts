/** A differential judge of two API servers. */
export { differencesOf } from './compare/difference.ts';
export { Choice } from './generate/choice.ts';
export { Definitions } from './generate/json-schema.ts';
export { readDefinitions } from './generate/read-definitions.ts';
export { type Topic, topicOfKind, topics } from './generate/topics.ts';
export { type Finding, judge, type JudgeOptions, type JudgeSummary } from './judge.ts';
export type { Answer, Edit, Operation } from './operation.ts';
export { describeFinding } from './report.ts';
export { type Bench, type OperationDifference, runSequence, type Sequence } from './run-sequence.ts';
export { type ApiEndpoint, endpointOf } from './servers/api-endpoint.ts';
