import type { System } from '@tektite/controller';
import { prunerSystem } from '@tektite/tekton-operator';

const namespace = process.env.SYSTEM_NAMESPACE;

/** The pruner of runs, with its settings where an operator put it. */
export const pruner: System = prunerSystem(namespace ? { namespace } : {});
