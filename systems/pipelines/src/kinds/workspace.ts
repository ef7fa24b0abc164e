import { go, type Struct, type StructValue } from '@tektite/schema/struct';

const declarationFields = {
  name: go.string().required(),
  description: go.string(),
  /** Default `/workspace/NAME`. */
  mountPath: go.string(),
  readOnly: go.bool(),
  optional: go.bool(),
};
/** A place for files that a Task needs. */
export interface WorkspaceDeclaration extends StructValue<typeof declarationFields> {}
export const WorkspaceDeclaration: Struct<WorkspaceDeclaration> = go.struct('WorkspaceDeclaration', declarationFields);

const bindingFields = {
  name: go.string().required(),
  subPath: go.string(),
  volumeClaimTemplate: go.pointer(go.builtin('core/v1.PersistentVolumeClaim')).schemaless(),
  persistentVolumeClaim: go.pointer(go.builtin('core/v1.PersistentVolumeClaimVolumeSource')),
  emptyDir: go.pointer(go.builtin('core/v1.EmptyDirVolumeSource')),
  configMap: go.pointer(go.builtin('core/v1.ConfigMapVolumeSource')),
  secret: go.pointer(go.builtin('core/v1.SecretVolumeSource')),
  projected: go.pointer(go.builtin('core/v1.ProjectedVolumeSource')),
  csi: go.pointer(go.builtin('core/v1.CSIVolumeSource')),
};
/** The volume that a run gives for a workspace: exactly one of the sources. */
export interface WorkspaceBinding extends StructValue<typeof bindingFields> {}
export const WorkspaceBinding: Struct<WorkspaceBinding> = go.struct('WorkspaceBinding', bindingFields);

const usageFields = { name: go.string().required(), mountPath: go.string().required() };
/** A workspace of the Task that only the steps and sidecars see which name it. */
export interface WorkspaceUsage extends StructValue<typeof usageFields> {}
export const WorkspaceUsage: Struct<WorkspaceUsage> = go.struct('WorkspaceUsage', usageFields);
