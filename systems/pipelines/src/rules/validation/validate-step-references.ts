import { type FieldErrors, genericError } from '@tektite/controller/field-errors';
import type { Step } from '../../kinds/task-spec.ts';
import { allErrors } from './all-errors.ts';
import { findStepResult } from '../../substitution/find-step-result.ts';

const stepArtifact = /\$\(steps\.[^.]+\.(?:inputs|outputs)\.[^.)]+\)/;
const taskArtifact = /\$\(tasks\.[^.]+\.(?:inputs|outputs)\.[^.)]+\)/;

const refersToStepArtifact = (text: string) => text.includes('$(step.artifacts.path)') || stepArtifact.test(text);
const refersToTaskArtifact = (text: string) => text.includes('$(artifacts.path)') || taskArtifact.test(text);

/** Whether a step reads or writes artifacts. */
export function usesArtifacts({ script = '', command = [], args = [], env = [] }: Step): boolean {
  const texts = [script, ...command, ...args, ...env.map(({ value = '' }) => value)];
  return texts.some((text) => refersToStepArtifact(text) || refersToTaskArtifact(text));
}

/**
 * Results of other steps are known only when the step runs, so only fields that the entrypoint replaces may refer to
 * them.
 */
export function validateStepReferences(step: Step): FieldErrors {
  const fields = fieldsOf(step);
  const found = (path: string, what: string) =>
    genericError(`${what} substitutions are only allowed in env, command${where[what]}. Found usage in`, path);
  return allErrors([
    ...[...fields, ['script', step.script ?? ''] as const].map(([path, text]) =>
      findStepResult(text) ? found(path, 'stepResult') : undefined,
    ),
    ...fields.map(([path, text]) => (refersToStepArtifact(text) ? found(path, 'stepArtifact') : undefined)),
  ]);
}

const where: Readonly<Record<string, string>> = { stepResult: ' and args', stepArtifact: ', args and script' };

function fieldsOf(step: Step): readonly (readonly [path: string, text: string])[] {
  const { envFrom = [], volumeMounts = [], volumeDevices = [] } = step;
  return [
    ['name', step.name ?? ''],
    ['image', step.image ?? ''],
    ['imagePullPolicy', step.imagePullPolicy ?? ''],
    ['workingDir', step.workingDir ?? ''],
    ...envFrom.flatMap(({ prefix = '', configMapRef, secretRef }) => [
      ['envFrom.prefix', prefix] as const,
      ['envFrom.configMapRef', configMapRef?.name ?? ''] as const,
      ['envFrom.secretRef', secretRef?.name ?? ''] as const,
    ]),
    ...volumeMounts.flatMap(({ name, mountPath, subPath = '' }) => [
      ['volumeMounts.name', name] as const,
      ['volumeMounts.mountPath', mountPath] as const,
      ['volumeMounts.subPath', subPath] as const,
    ]),
    ...volumeDevices.flatMap(({ name, devicePath }) => [
      ['volumeDevices.name', name] as const,
      ['volumeDevices.devicePath', devicePath] as const,
    ]),
  ];
}
