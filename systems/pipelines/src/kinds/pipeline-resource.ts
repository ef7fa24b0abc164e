import { go } from '@tektite/schema/struct';

/** PipelineResources were removed in Tekton 0.46. v1beta1 still reads the fields that referred to them. */

const PipelineResourceSpec = go.struct('PipelineResourceSpec', {
  description: go.string(),
  type: go.string().required(),
  params: go
    .list(go.struct('ResourceParam', { name: go.string().required(), value: go.string().required() }))
    .required(),
  secrets: go.list(
    go.struct('SecretParam', {
      fieldName: go.string().required(),
      secretKey: go.string().required(),
      secretName: go.string().required(),
    }),
  ),
});

export const PipelineResourceBinding = go.struct('PipelineResourceBinding', {
  name: go.string(),
  resourceRef: go.pointer(go.struct('PipelineResourceRef', { name: go.string(), apiVersion: go.string() })),
  resourceSpec: go.pointer(PipelineResourceSpec.pinned('v1alpha1')),
});

const inputFields = { name: go.string().required(), resource: go.string().required() };
/** The resources of one task of a Pipeline. */
export const PipelineTaskResources = go.struct('PipelineTaskResources', {
  inputs: go.list(go.struct('PipelineTaskInputResource', { ...inputFields, from: go.list(go.string()) })),
  outputs: go.list(go.struct('PipelineTaskOutputResource', inputFields)),
});

export const PipelineDeclaredResource = go.struct('PipelineDeclaredResource', {
  name: go.string().required(),
  type: go.string().required(),
  optional: go.bool(),
});
