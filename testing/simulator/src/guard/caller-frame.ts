/** Frames to read: some of them are Node's. */
const maxFrames = 25;

/** The programs that run tests or profile them share the process with a simulation, and may read the real time. */
const runners = /[\\/]node_modules[\\/](?:@vitest|vitest|vite|tinypool|tinyrainbow|birpc)[\\/]/;

/**
 * croner reads the clock for a default that calls with a time never use. Its class has another name in every release and bundle, its
 * method has not.
 */
const harmless = /^\s*at \S+\.nextRun \(/;

/**
 * The places from which the guard was called, nearest first, as `file:line:column`. Undefined when the caller is Node itself or the
 * test runner.
 */
export function callersOutside(guard: (...given: never[]) => unknown): readonly string[] | undefined {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = maxFrames;
  Error.captureStackTrace(holder, guard);
  Error.stackTraceLimit = limit;
  const lines = (holder.stack ?? '').split('\n').slice(1);
  if (harmless.test(lines[0] ?? '')) return undefined;
  const frames = lines.map(placeOf).filter(isOutsideNode);
  const [nearest] = frames;
  if (nearest === undefined || runners.test(nearest)) return undefined;
  return frames.slice(0, 4);
}

function isOutsideNode(place: string): boolean {
  return place !== '' && !place.startsWith('node:') && !place.startsWith('<');
}

function placeOf(frame: string): string {
  const text = /\(([^()]*)\)$/.exec(frame)?.[1] ?? frame.replace(/^\s*at (?:async )?/, '');
  return text.replace(/^file:\/\//, '');
}
