import type {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  EmptyDirVolumeSource,
  PersistentVolumeClaim,
  PersistentVolumeClaimVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from '@tektite/schema/kubernetes';

/** A place for files that a Task wants. */
export interface WorkspaceDeclaration {
  readonly name: string;
  readonly description?: string;
  /** Default `/workspace/NAME`. */
  readonly mountPath?: string;
  readonly readOnly?: boolean;
  readonly optional?: boolean;
}

/** What a run gives for a workspace: exactly one of the sources. */
export interface WorkspaceBinding {
  readonly name: string;
  readonly subPath?: string;
  readonly volumeClaimTemplate?: PersistentVolumeClaim;
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  readonly emptyDir?: EmptyDirVolumeSource;
  readonly configMap?: ConfigMapVolumeSource;
  readonly secret?: SecretVolumeSource;
  readonly projected?: ProjectedVolumeSource;
  readonly csi?: CSIVolumeSource;
}

/** A workspace of the Task that only the steps and sidecars see which name it. */
export interface WorkspaceUsage {
  readonly name: string;
  readonly mountPath: string;
}
