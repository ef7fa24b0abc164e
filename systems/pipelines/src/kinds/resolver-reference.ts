import type { Param } from './param.ts';

/** Something that is fetched from elsewhere. */
export interface ResolverReference {
  readonly resolver?: string;
  readonly params?: readonly Param[];
}

export interface TaskRef extends ResolverReference {
  readonly name?: string;
  readonly kind?: string;
  /** With a kind: the run of a custom task. */
  readonly apiVersion?: string;
}

export interface StepActionRef extends ResolverReference {
  readonly name?: string;
}

export interface PipelineRef extends ResolverReference {
  readonly name?: string;
  readonly apiVersion?: string;
}
