import type { TaskRunSpec } from '@tektite/pipelines';

/** A run of one step that does nothing. */
export const oneStep: TaskRunSpec = { taskSpec: { steps: [{ name: 's', image: 'bench', command: ['true'] }] } };

/** Image names for Tekton's own containers; they are never pulled. */
export const images = {
  entrypoint: 'entrypoint',
  nop: 'nop',
  sidecarLogResults: 'results',
  workingDirInit: 'dirs',
  shell: 'sh',
};
