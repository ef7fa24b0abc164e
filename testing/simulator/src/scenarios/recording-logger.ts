import type { LogFields, Logger } from '@tektite/controller';
import type { World } from '../world/world.ts';

/** Puts failed reconciles into the history, and why objects were reconciled into the coverage. */
export function recordingLogger(world: World, component: string, context: LogFields = {}): Logger {
  const note = (message: string, fields: LogFields = {}) => {
    const { controller = '', namespace, name = '', error } = { ...context, ...fields };
    const what = name === '' ? '' : ` ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    const why = error instanceof Error ? `: ${error.message}` : '';
    world.history.note(component, `${controller === '' ? '' : `${controller} `}${message}${what}${why}`);
  };
  return {
    debugs: true,
    debug: (_, fields = {}) => {
      const { controller, outcome, causes } = { ...context, ...fields };
      if (outcome !== undefined) world.features.add(`${controller}: ${kindsOf(causes ?? '')} ${outcome}`);
    },
    info: () => undefined,
    warn: note,
    error: note,
    with: (fields) => recordingLogger(world, component, { ...context, ...fields }),
  };
}

/** The causes without the names of objects. */
function kindsOf(causes: string): string {
  return causes
    .replaceAll(/\S*[/-]\S*/g, '')
    .replaceAll(/\d+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
