import { restrictLength } from '@tektite/meta';

export const stepPrefix = 'step-';
export const sidecarPrefix = 'sidecar-';
/** The sidecar that prints results, where they do not come by termination messages. */
export const resultsSidecar = 'tekton-log-results';

/** The container of a step: `step-build`, or `step-unnamed-0`. */
export function stepContainer(name: string | undefined, index: number): string {
  return restrictLength(name ? `${stepPrefix}${name}` : `${stepPrefix}unnamed-${index}`);
}

export function sidecarContainer(name: string): string {
  return restrictLength(`${sidecarPrefix}${name}`);
}

export function isStepContainer(container: string): boolean {
  return container.startsWith(stepPrefix);
}

export function isSidecarContainer(container: string): boolean {
  return container.startsWith(sidecarPrefix);
}
