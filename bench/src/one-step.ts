import type { TaskRunSpec } from '@tektite/pipelines';

/** A run of one step that does nothing. */
export const oneStep: TaskRunSpec = { taskSpec: { steps: [{ name: 's', image: 'bench', command: ['true'] }] } };

/** Names for what Tekton's own containers run, where nobody looks for images. */
export const images = {
  entrypoint: 'entrypoint',
  nop: 'nop',
  sidecarLogResults: 'results',
  workingDirInit: 'dirs',
  shell: 'sh',
};
