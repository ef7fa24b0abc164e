/** The script of a simulated container. */
export interface Simulation {
  /** How long it runs. Default: until it is stopped. */
  readonly runMs?: number;
  /** Default 0. */
  readonly exitCode?: number;
  /** How long it takes to start. Default 0. */
  readonly startMs?: number;
  /** Its output at the start. */
  readonly log?: string;
  /** Its termination message. */
  readonly terminationMessage?: string;
  /** The kernel ends it for lack of memory. */
  readonly oomKilled?: boolean;
  /** How long it takes to end when it is asked to. Default 0; null: it never does. */
  readonly stopMs?: number | null;
  /** It cannot be started, for this reason. */
  readonly startError?: string;
}

/**
 * The annotation that says what the containers of a Pod do: one simulation for all, or `{ "containers": { NAME: ... } }` for
 * some of them. A list is for the runs of a container, one after the other; the last one repeats.
 */
export const simulationAnnotation = 'tektite.dev/simulate';

interface Annotated extends Simulation {
  readonly containers?: Readonly<Record<string, Simulation | readonly Simulation[]>>;
}

/** The script in the annotations for this run of the container; undefined without one. Throws on bad JSON. */
export function annotatedSimulation(
  annotations: Readonly<Record<string, string>>,
  container: string,
  attempt: number,
): Simulation | undefined {
  const text = Object.hasOwn(annotations, simulationAnnotation) ? annotations[simulationAnnotation] : undefined;
  if (text === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new Error(`the annotation ${simulationAnnotation} is not JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error(`the annotation ${simulationAnnotation} must be an object`);
  const { containers, ...all } = parsed as Annotated;
  const own = containers && Object.hasOwn(containers, container) ? containers[container] : undefined;
  if (own === undefined) return all;
  const runs = Array.isArray(own) ? (own as readonly Simulation[]) : [own as Simulation];
  return { ...all, ...runs[Math.min(attempt, runs.length - 1)] };
}
