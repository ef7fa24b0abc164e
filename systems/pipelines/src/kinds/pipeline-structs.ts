import { defineStructs, type StructTable } from './struct-table.ts';
import './v1-structs.ts';
import './v1beta1-structs.ts';

type Fields = Readonly<Record<string, string>>;

/** What the versions call differently, or have no longer. */
interface VersionDifferences {
  readonly taskSpec: Fields;
  readonly pipelineResources: Fields;
  readonly taskResources: Fields;
  readonly bundle: Fields;
}

/** Pipelines and their parts. */
function pipelineStructs({ taskSpec, pipelineResources, taskResources, bundle }: VersionDifferences): StructTable {
  return {
    Pipeline: { metadata: 'meta/v1.ObjectMeta+', spec: '~PipelineSpec+' },
    PipelineSpec: {
      displayName: 'string',
      description: 'string',
      ...pipelineResources,
      tasks: '[]~PipelineTask',
      params: '#%.ParamSpecs=[]~ParamSpec',
      workspaces: '[]~PipelineWorkspaceDeclaration',
      results: '[]~PipelineResult',
      finally: '[]~PipelineTask',
    },
    PipelineResult: {
      name: 'string!',
      type: '#%.ResultsType',
      description: 'string+',
      value: '~ParamValue!?',
    },
    PipelineWorkspaceDeclaration: { name: 'string!', description: 'string', optional: 'bool' },
    WorkspacePipelineTaskBinding: { name: 'string!', workspace: 'string', subPath: 'string' },
    PipelineTaskMetadata: { labels: 'map[string]string', annotations: 'map[string]string' },
    PipelineTask: {
      name: 'string',
      displayName: 'string',
      description: 'string',
      taskRef: '*~TaskRef',
      taskSpec: '*~EmbeddedTask?',
      when: '#%.WhenExpressions=[]~WhenExpression',
      retries: '#int=int64',
      runAfter: '[]string',
      ...taskResources,
      params: '#%.Params=[]~Param',
      matrix: '*~Matrix',
      workspaces: '[]~WorkspacePipelineTaskBinding',
      timeout: '*meta/v1.Duration',
      pipelineRef: '*~PipelineRef',
      pipelineSpec: '*~PipelineSpec?',
      onError: '#%.PipelineTaskOnErrorType',
    },
    /** A Task within a Pipeline, or whatever a custom task wants to know. */
    EmbeddedTask: {
      'TypeMeta/apiVersion': 'string',
      'TypeMeta/kind': 'string',
      spec: 'RawExtension+',
      metadata: '~PipelineTaskMetadata+',
      ...Object.fromEntries(Object.entries(taskSpec).map(([name, type]) => [`TaskSpec/${name}`, type])),
    },
    Matrix: { params: '#%.Params=[]~Param', include: '#%.IncludeParamsList=[]~IncludeParams' },
    IncludeParams: { name: 'string', params: '#%.Params=[]~Param' },
    PipelineRef: {
      name: 'string',
      apiVersion: 'string',
      ...bundle,
      'ResolverRef/resolver': '#%.ResolverName',
      'ResolverRef/params': '#%.Params=[]~Param',
    },
  };
}

/** What is the same in all versions of PipelineRuns. */
const pipelineRunStructs = {
  PipelineRun: { metadata: 'meta/v1.ObjectMeta', spec: '~PipelineRunSpec', status: '~PipelineRunStatus' },
  TimeoutFields: { pipeline: '*meta/v1.Duration', tasks: '*meta/v1.Duration', finally: '*meta/v1.Duration' },
  ChildStatusReference: {
    'TypeMeta/apiVersion': 'string',
    'TypeMeta/kind': 'string',
    name: 'string',
    displayName: 'string',
    pipelineTaskName: 'string',
    whenExpressions: '[]~WhenExpression',
  },
  SkippedTask: { name: 'string!', reason: '#%.SkippingReason!', whenExpressions: '[]~WhenExpression' },
  PipelineRunResult: { name: 'string!', value: '~ParamValue!?' },
} satisfies StructTable;

/** The status of a PipelineRun, with the results under the name that they have in the version. */
function pipelineRunStatus(results: string, children: Fields = {}): Fields {
  return {
    'Status/observedGeneration': 'int64',
    'Status/conditions': '#v1.Conditions=[]tekton/apis.Condition',
    'Status/annotations': 'map[string]string',
    'PipelineRunStatusFields/startTime': '*Time',
    'PipelineRunStatusFields/completionTime': '*Time',
    ...children,
    [`PipelineRunStatusFields/${results}`]: '[]~PipelineRunResult',
    'PipelineRunStatusFields/pipelineSpec': '*~PipelineSpec?',
    'PipelineRunStatusFields/skippedTasks': '[]~SkippedTask',
    'PipelineRunStatusFields/childReferences': '[]~ChildStatusReference',
    'PipelineRunStatusFields/finallyStartTime': '*Time',
    'PipelineRunStatusFields/provenance': '*~Provenance',
    'PipelineRunStatusFields/spanContext': 'map[string]string',
  };
}

const taskFields: Fields = {
  params: '#%.ParamSpecs=[]~ParamSpec',
  displayName: 'string',
  description: 'string',
  steps: '[]~Step',
  volumes: '#%.Volumes=[]core/v1.Volume?',
  stepTemplate: '*~StepTemplate',
  sidecars: '[]~Sidecar',
  workspaces: '[]~WorkspaceDeclaration',
  results: '[]~TaskResult',
};

defineStructs('v1', {
  ...pipelineStructs({ taskSpec: taskFields, pipelineResources: {}, taskResources: {}, bundle: {} }),
  ...pipelineRunStructs,
  PipelineRunSpec: {
    pipelineRef: '*~PipelineRef',
    pipelineSpec: '*~PipelineSpec?',
    params: '#%.Params=[]~Param',
    status: '#%.PipelineRunSpecStatus',
    timeouts: '*~TimeoutFields',
    taskRunTemplate: '~PipelineTaskRunTemplate+',
    workspaces: '[]~WorkspaceBinding',
    taskRunSpecs: '[]~PipelineTaskRunSpec',
    managedBy: '*string',
  },
  PipelineTaskRunTemplate: { podTemplate: '*tekton/pod.Template', serviceAccountName: 'string' },
  PipelineTaskRunSpec: {
    pipelineTaskName: 'string',
    serviceAccountName: 'string',
    podTemplate: '*tekton/pod.Template',
    stepSpecs: '[]~TaskRunStepSpec',
    sidecarSpecs: '[]~TaskRunSidecarSpec',
    metadata: '*~PipelineTaskMetadata',
    computeResources: '*core/v1.ResourceRequirements',
    timeout: '*meta/v1.Duration',
  },
  PipelineRunStatus: pipelineRunStatus('results'),
});

defineStructs('v1beta1', {
  ...pipelineStructs({
    taskSpec: { resources: '*~TaskResources', ...taskFields },
    pipelineResources: { resources: '[]~PipelineDeclaredResource' },
    taskResources: { resources: '*~PipelineTaskResources' },
    bundle: { bundle: 'string' },
  }),
  ...pipelineRunStructs,
  PipelineDeclaredResource: { name: 'string!', type: 'string!', optional: 'bool' },
  PipelineTaskResources: { inputs: '[]~PipelineTaskInputResource', outputs: '[]~PipelineTaskOutputResource' },
  PipelineTaskInputResource: { name: 'string!', resource: 'string!', from: '[]string' },
  PipelineTaskOutputResource: { name: 'string!', resource: 'string!' },
  PipelineRunSpec: {
    pipelineRef: '*~PipelineRef',
    pipelineSpec: '*~PipelineSpec?',
    resources: '[]~PipelineResourceBinding',
    params: '#%.Params=[]~Param',
    serviceAccountName: 'string',
    status: '#%.PipelineRunSpecStatus',
    timeouts: '*~TimeoutFields',
    timeout: '*meta/v1.Duration',
    podTemplate: '*tekton/pod.Template',
    workspaces: '[]~WorkspaceBinding',
    taskRunSpecs: '[]~PipelineTaskRunSpec',
    managedBy: '*string',
  },
  PipelineResourceBinding: {
    name: 'string',
    resourceRef: '*~PipelineResourceRef',
    resourceSpec: '*tekton/v1alpha1.PipelineResourceSpec',
  },
  PipelineTaskRunSpec: {
    pipelineTaskName: 'string',
    taskServiceAccountName: 'string',
    taskPodTemplate: '*tekton/pod.Template',
    stepOverrides: '[]~TaskRunStepOverride',
    sidecarOverrides: '[]~TaskRunSidecarOverride',
    metadata: '*~PipelineTaskMetadata',
    computeResources: '*core/v1.ResourceRequirements',
    timeout: '*meta/v1.Duration',
  },
  PipelineRunStatus: pipelineRunStatus('pipelineResults', {
    'PipelineRunStatusFields/taskRuns': 'map[string]*~PipelineRunTaskRunStatus',
    'PipelineRunStatusFields/runs': 'map[string]*~PipelineRunRunStatus',
  }),
  PipelineRunTaskRunStatus: {
    pipelineTaskName: 'string',
    status: '*~TaskRunStatus',
    whenExpressions: '[]~WhenExpression',
  },
  PipelineRunRunStatus: {
    pipelineTaskName: 'string',
    status: '*~CustomRunStatus',
    whenExpressions: '[]~WhenExpression',
  },
});

defineStructs('v1beta1', {
  CustomRun: { metadata: 'meta/v1.ObjectMeta', spec: '~CustomRunSpec', status: '~CustomRunStatus' },
  CustomRunSpec: {
    customRef: '*~TaskRef',
    customSpec: '*~EmbeddedCustomRunSpec',
    params: '#%.Params=[]~Param',
    status: '#%.CustomRunSpecStatus',
    statusMessage: '#%.CustomRunSpecStatusMessage',
    retries: '#int=int64',
    serviceAccountName: 'string+',
    timeout: '*meta/v1.Duration',
    workspaces: '[]~WorkspaceBinding',
  },
  EmbeddedCustomRunSpec: {
    'TypeMeta/apiVersion': 'string',
    'TypeMeta/kind': 'string',
    metadata: '~PipelineTaskMetadata+',
    spec: 'RawExtension+',
  },
  CustomRunStatus: {
    'Status/observedGeneration': 'int64',
    'Status/conditions': '#v1.Conditions=[]tekton/apis.Condition',
    'Status/annotations': 'map[string]string',
    'CustomRunStatusFields/startTime': '*Time',
    'CustomRunStatusFields/completionTime': '*Time',
    'CustomRunStatusFields/results': '[]~CustomRunResult',
    'CustomRunStatusFields/retriesStatus': '[]~CustomRunStatus?',
    'CustomRunStatusFields/extraFields': 'RawExtension+?',
  },
  CustomRunResult: { name: 'string!', value: 'string!' },
});
