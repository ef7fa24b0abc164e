export interface BucketNaming {
  /** The name of the program, such as `tekton-pipelines-controller`. */
  readonly component: string;
  /** The name of the controller's queue; Tekton's are `github.com.tektoncd.pipeline.pkg.reconciler.taskrun.Reconciler`. */
  readonly queue: string;
  readonly buckets: number;
  /** Other beginnings for names, by `component.queue`. */
  readonly prefixes?: Readonly<Record<string, string>>;
}

/**
 * The names of the Leases of all buckets, as knative.dev/pkg builds them.
 *
 * @example
 * bucketNames({ component: 'controller', queue: 'tasks', buckets: 2 })
 * // ['controller.tasks.00-of-02', 'controller.tasks.01-of-02']
 */
export function bucketNames({ component, queue, buckets, prefixes = {} }: BucketNaming): string[] {
  const own = `${component}.${queue}`;
  const prefix = (Object.hasOwn(prefixes, own) && prefixes[own]) || own;
  const two = (number: number) => String(number).padStart(2, '0');
  return Array.from({ length: buckets }, (_, index) => `${prefix}.${two(index)}-of-${two(buckets)}`.toLowerCase());
}
