import type { Pod } from '@tektite/schema/kubernetes';

/** Processor use, averaged over a window, and memory use at its end. */
export interface Usage {
  readonly cpuNanocores: number;
  readonly memoryBytes: number;
  readonly windowMs: number;
}

/** The use of a node and of its Pods. */
export interface NodeUsage {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly machine: Usage;
  readonly pods: readonly { readonly pod: Pod; readonly containers: readonly (Usage & { readonly name: string })[] }[];
}
