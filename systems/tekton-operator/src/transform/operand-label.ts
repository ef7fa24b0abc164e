import type { Transform } from '@tektite/manifest';

/** Whose object it is, for people: on every object of a component. */
export function operandLabel(name: string): Transform {
  return function operandLabel(draft) {
    draft.metadata.labels = { ...draft.metadata.labels, 'operator.tekton.dev/operand-name': name };
  };
}
