import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { paramReplacements } from '../../../substitution/param-replacements.ts';
import { withClaims } from '../../../workspace/claim-templates.ts';
import { replaceInBindings } from '../../../workspace/replace-in-bindings.ts';
import type { TaskRunDraft } from './lifecycle.ts';

/** The run with volume claims in place of their templates, and with params replaced in its workspace bindings. */
export function bindWorkspaces(draft: TaskRunDraft, { params: specs = [] }: TaskSpec): TaskRunDraft {
  const { workspaces, params = [] } = draft.spec;
  if (!workspaces) return draft;
  const replacements = paramReplacements(specs, params, 'task');
  const bound = replaceInBindings(withClaims(workspaces, draft), replacements);
  return { ...draft, spec: { ...draft.spec, workspaces: bound } };
}
