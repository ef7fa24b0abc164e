import type { OwnProgram } from './own-program.ts';

/** The volumes by which Pods of this machine see the program; nothing on a cluster, where the image has it. */
export interface ProgramFolders {
  readonly pod: { readonly volumes?: readonly object[] };
  readonly container: { readonly volumeMounts?: readonly object[] };
}

/** Mounts the folders of the program, read-only. */
export function programFolders({ folders }: OwnProgram): ProgramFolders {
  const entries = Object.entries(folders).map(([mountPath, path], index) => ({
    name: `program-${index}`,
    mountPath,
    path,
  }));
  if (entries.length === 0) return { pod: {}, container: {} };
  return {
    pod: { volumes: entries.map(({ name, path }) => ({ name, hostPath: { path, type: 'Directory' } })) },
    container: { volumeMounts: entries.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })) },
  };
}
