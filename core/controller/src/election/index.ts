/** Election: which keys this process owns, by Leases or by the ordinal of its Pod. */
export { BucketElection, type BucketElectionOptions } from './bucket-election.ts';
export type { BucketNaming } from './bucket-names.ts';
export { type ElectionConfig, readElectionConfig } from './election-config.ts';
export type { ElectionTiming } from './election-timing.ts';
export { type Claim, fencedClient } from './fenced-client.ts';
export { type ElectionTransition, LeaderElector, type LeaderElectorOptions } from './leader-elector.ts';
export { ordinalOwnership, type OrdinalPlace, ordinalPlace } from './ordinal-ownership.ts';
export type { Ownership } from './ownership.ts';
