import type { Volume, VolumeMount } from '@tektite/schema/kubernetes';

/** Where Tekton keeps its own files in a container. Users write to some of them, so the paths are a promise. */
export const paths = {
  bin: '/tekton/bin',
  creds: '/tekton/creds',
  credsSecrets: '/tekton/creds-secrets',
  downward: '/tekton/downward',
  debugInfo: '/tekton/debug/info',
  debugScripts: '/tekton/debug/scripts',
  home: '/tekton/home',
  results: '/tekton/results',
  artifacts: '/tekton/artifacts',
  run: '/tekton/run',
  scripts: '/tekton/scripts',
  steps: '/tekton/steps',
  termination: '/tekton/termination',
  workspace: '/workspace',
  entrypoint: '/tekton/bin/entrypoint',
} as const;

const internal = (name: string) => `tekton-internal-${name}`;
const emptyDir = (name: string): Volume => ({ name, emptyDir: {} });

/** In every Pod, in this order. */
export const implicitVolumes: readonly Volume[] = ['workspace', 'home', 'results', 'steps', 'artifacts'].map((name) =>
  emptyDir(internal(name)),
);

export const scriptsVolume: Volume = emptyDir(internal('scripts'));
export const binVolume: Volume = emptyDir(internal('bin'));

export const debugVolumes: readonly Volume[] = [emptyDir(internal('debug-scripts')), emptyDir(internal('debug-info'))];
export const debugScriptsMount: VolumeMount = { name: internal('debug-scripts'), mountPath: paths.debugScripts };

/** The mounts of a step that is being debugged: the scripts, and a folder with the index of the step. */
export function debugMounts(index: number): readonly VolumeMount[] {
  return [
    { ...debugScriptsMount, readOnly: true },
    { name: internal('debug-info'), mountPath: `${paths.debugInfo}/${index}` },
  ];
}

const spire = 'spiffe-workload-api';
/** Where SPIRE is asked for a proof of identity. */
export const spireVolume: Volume = { name: spire, csi: { driver: 'csi.spiffe.io', readOnly: true } };
export const spireMount: VolumeMount = { name: spire, mountPath: `/${spire}`, readOnly: true };

export const scriptsMount: VolumeMount = { name: internal('scripts'), mountPath: paths.scripts };
export const binMount: VolumeMount = { name: internal('bin'), mountPath: paths.bin };
export const downwardMount: VolumeMount = { name: internal('downward'), mountPath: paths.downward, readOnly: true };

/** In every step, unless the step mounts something else there. */
export const implicitMounts: readonly VolumeMount[] = [
  { ...binMount, readOnly: true },
  { name: internal('workspace'), mountPath: paths.workspace },
  { name: internal('home'), mountPath: paths.home },
  { name: internal('results'), mountPath: paths.results },
  { name: internal('steps'), mountPath: paths.steps, readOnly: true },
  { name: internal('artifacts'), mountPath: paths.artifacts },
];

export const stepsMount: VolumeMount = { name: internal('steps'), mountPath: paths.steps };

/** Shows the annotations of its Pod to a step: that all is ready, and that it was cancelled. */
export function downwardVolume(files: readonly ('ready' | 'cancel')[]): Volume {
  return {
    name: internal('downward'),
    downwardAPI: {
      items: files.map((file) => ({
        path: file,
        fieldRef: { fieldPath: `metadata.annotations['tekton.dev/${file}']` },
      })),
    },
  };
}

/** The folder of one step: what it leaves there, the others read. */
export function runVolume(index: number): Volume {
  return emptyDir(internal(`run-${index}`));
}

/** All steps see all of them, and write their own. */
export function runMounts(count: number, own: number): readonly VolumeMount[] {
  return Array.from({ length: count }, (_, index) => ({
    name: internal(`run-${index}`),
    mountPath: `${paths.run}/${index}`,
    ...(index === own ? {} : { readOnly: true }),
  }));
}

/** Credentials are written in memory, and each step has its own, as it may run as another user. */
export function credsVolume(index: number): Volume {
  return { name: `tekton-creds-init-home-${index}`, emptyDir: { medium: 'Memory' } };
}

export function credsMount(index: number): VolumeMount {
  return { name: `tekton-creds-init-home-${index}`, mountPath: paths.creds };
}

/** Mounts without those whose place is taken. */
export function unlessTaken(taken: readonly VolumeMount[], mounts: readonly VolumeMount[]): readonly VolumeMount[] {
  const used = new Set(taken.map(({ mountPath }) => cleanPath(mountPath)));
  return mounts.filter(({ mountPath }) => !used.has(cleanPath(mountPath)));
}

function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}
