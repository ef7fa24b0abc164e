import { posix } from 'node:path';
import {
  type FieldErrors,
  genericError,
  missingField,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import type { Sidecar, Step, TaskSpec } from '../../kinds/task-spec.ts';
import type { WorkspaceBinding } from '../../kinds/workspace.ts';
import { allErrors } from './all-errors.ts';
import { gate, type Rules } from '../rules.ts';
import { validateUniqueNames } from './validate-names.ts';

/** As Go's `filepath.Clean`. */
export function cleanPath(path: string): string {
  const clean = posix.normalize(path);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

/** Workspaces have unique names and paths. */
export function validateDeclaredWorkspaces({ workspaces = [], steps = [], stepTemplate }: TaskSpec): FieldErrors {
  const mounts = [...steps, stepTemplate ?? {}].flatMap(({ volumeMounts = [] }) => volumeMounts);
  const paths = new Set(mounts.map(({ mountPath }) => cleanPath(mountPath)));
  const names = new Set<string>();
  return allErrors(
    workspaces.flatMap(({ name, mountPath = '' }, index) => {
      const path = cleanPath(mountPath === '' ? `/workspace/${name}` : mountPath);
      const [isDouble, isTaken] = [names.has(name), paths.has(path)];
      names.add(name);
      paths.add(path);
      const double = `workspace name ${quoteGo(name)} must be unique`;
      const taken = `workspace mount path ${quoteGo(path)} must be unique`;
      return [
        isDouble ? genericError(double, 'name').viaIndex(index) : undefined,
        isTaken ? genericError(taken, 'mountpath').viaIndex(index) : undefined,
      ];
    }),
  );
}

/** Workspaces of steps and sidecars have to be declared. */
export function validateWorkspaceUsage(
  { workspaces = [], steps = [], sidecars = [] }: TaskSpec,
  rules: Rules,
): FieldErrors {
  const names = new Set(workspaces.map(({ name }) => name));
  const check = (container: Step | Sidecar, what: 'step' | 'sidecar', index: number) =>
    usageOf(container, names, what, rules).viaFieldIndex(`${what}s`, index);
  return allErrors([
    ...steps.map((step, index) => check(step, 'step', index)),
    ...sidecars.map((sidecar, index) => check(sidecar, 'sidecar', index)),
  ]);
}

function usageOf(
  { workspaces = [] }: Step | Sidecar,
  names: ReadonlySet<string>,
  what: string,
  rules: Rules,
): FieldErrors {
  if (workspaces.length === 0) return noFieldErrors;
  return noFieldErrors
    .also(gate(rules, `${what} workspaces`, 'beta'))
    .also(
      allErrors(
        workspaces.map(({ name }, index) =>
          names.has(name)
            ? undefined
            : genericError(`undefined workspace ${quoteGo(name)}`, 'name').viaFieldIndex('workspaces', index),
        ),
      ),
    );
}

/** Upstream's words for the sources, two of which it forgets. */
const sourceNames = ['persistentvolumeclaim', 'volumeclaimtemplate', 'emptydir', 'configmap', 'secret'];

/** The workspace bindings of a run: each has exactly one source, and a complete one. */
export function validateWorkspaceBindings(bindings: readonly WorkspaceBinding[]): FieldErrors {
  return allErrors(bindings.map((binding, index) => validateBinding(binding)?.viaIndex(index))).also(
    validateUniqueNames(
      bindings.map(({ name }) => name),
      'index',
    ),
  );
}

/** One of them. */
export function validateBinding(binding: WorkspaceBinding): FieldErrors | undefined {
  const { name, subPath, ...sources } = binding;
  const count = Object.values(sources).filter((source) => source !== undefined).length;
  if (count === 0 && name === '' && subPath === undefined) return missingField('');
  if (count > 1) return multipleOneOf(...sourceNames);
  if (count === 0) return missingOneOf(...sourceNames);
  const { persistentVolumeClaim, configMap, secret, projected, csi } = sources;
  if (persistentVolumeClaim && !persistentVolumeClaim.claimName) return missingField('persistentvolumeclaim.claimname');
  if (configMap && !configMap.name) return missingField('configmap.name');
  if (secret && !secret.secretName) return missingField('secret.secretName');
  if (projected && !projected.sources?.length) return missingField('projected.sources');
  return csi && !csi.driver ? missingField('csi.driver') : undefined;
}
