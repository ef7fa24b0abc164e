import { defineStructs, type StructTable } from './struct-table.ts';

/** Parameters, results, workspaces, conditions: the same in all versions. */
export const valueStructs = {
  ParamSpec: {
    name: 'string!',
    type: '#%.ParamType',
    description: 'string',
    properties: 'map[string]~PropertySpec@',
    default: '*~ParamValue?',
    enum: '[]string',
  },
  PropertySpec: { type: '#%.ParamType' },
  Param: { name: 'string!', value: '~ParamValue!?' },
  /** A text, a list or a map; it reads and prints itself. */
  ParamValue: {},
  TaskResult: {
    name: 'string!',
    type: '#%.ResultsType',
    properties: 'map[string]~PropertySpec@',
    description: 'string',
    value: '*~ParamValue?',
  },
  StepResult: {
    name: 'string!',
    type: '#%.ResultsType',
    properties: 'map[string]~PropertySpec@',
    description: 'string',
  },
  WorkspaceDeclaration: {
    name: 'string!',
    description: 'string',
    mountPath: 'string',
    readOnly: 'bool',
    optional: 'bool',
  },
  WorkspaceUsage: { name: 'string!', mountPath: 'string!' },
  WhenExpression: {
    input: 'string',
    operator: '#selection.Operator',
    values: '[]string',
    cel: 'string',
  },
} satisfies StructTable;

export interface ContainerNames {
  /** What the field with the resources is called. */
  readonly resources: string;
  /** Whether steps and their template have all fields of a container, if only to keep them. */
  readonly isFull: boolean;
}

const probes = {
  livenessProbe: '*core/v1.Probe',
  readinessProbe: '*core/v1.Probe',
  startupProbe: '*core/v1.Probe',
  lifecycle: '*core/v1.Lifecycle',
  terminationMessagePath: 'string',
  terminationMessagePolicy: '#v1.TerminationMessagePolicy',
};

/** In upstream's order, which is that of what is signed. */
function containerFields(resources: string, isFull: boolean): Readonly<Record<string, string>> {
  return {
    image: 'string',
    command: '[]string',
    args: '[]string',
    workingDir: 'string',
    ...(isFull ? { ports: '[]core/v1.ContainerPort' } : {}),
    envFrom: '[]core/v1.EnvFromSource',
    env: '[]core/v1.EnvVar',
    [resources]: 'core/v1.ResourceRequirements',
    volumeMounts: '[]core/v1.VolumeMount',
    volumeDevices: '[]core/v1.VolumeDevice',
    ...(isFull ? probes : {}),
    imagePullPolicy: '#v1.PullPolicy',
    securityContext: '*core/v1.SecurityContext',
    ...(isFull ? { stdin: 'bool', stdinOnce: 'bool', tty: 'bool' } : {}),
  };
}

/** Steps, their template and sidecars. */
export function containerStructs({ resources, isFull }: ContainerNames): StructTable {
  const container = containerFields(resources, isFull);
  return {
    StepTemplate: { ...(isFull ? { name: 'string' } : {}), ...container },
    Step: {
      name: 'string!',
      displayName: 'string',
      ...container,
      script: 'string',
      timeout: '*meta/v1.Duration',
      workspaces: '[]~WorkspaceUsage',
      onError: '#%.OnErrorType',
      stdoutConfig: '*~StepOutputConfig',
      stderrConfig: '*~StepOutputConfig',
      ref: '*~Ref',
      params: '#%.Params=[]~Param',
      results: '[]tekton/v1.StepResult',
      when: '#%.WhenExpressions=[]~WhenExpression',
    },
    StepOutputConfig: { path: 'string' },
    Ref: { name: 'string', 'ResolverRef/resolver': '#%.ResolverName', 'ResolverRef/params': '#%.Params=[]~Param' },
    Sidecar: {
      name: 'string!',
      ...containerFields(resources, true),
      script: 'string',
      workspaces: '[]~WorkspaceUsage',
      restartPolicy: '*#v1.ContainerRestartPolicy',
    },
  };
}

/** What runs and their status are made of, as far as it is the same in all versions. */
export const runStructs = {
  TaskRunDebug: { breakpoints: '*~TaskBreakpoints' },
  TaskBreakpoints: { onFailure: 'string', beforeSteps: '[]string' },
  WorkspaceBinding: {
    name: 'string!',
    subPath: 'string',
    volumeClaimTemplate: '*core/v1.PersistentVolumeClaim?',
    persistentVolumeClaim: '*core/v1.PersistentVolumeClaimVolumeSource',
    emptyDir: '*core/v1.EmptyDirVolumeSource',
    configMap: '*core/v1.ConfigMapVolumeSource',
    secret: '*core/v1.SecretVolumeSource',
    projected: '*core/v1.ProjectedVolumeSource',
    csi: '*core/v1.CSIVolumeSource',
  },
  TaskRunResult: { name: 'string!', type: '#%.ResultsType', value: '~ParamValue!?' },
  SidecarState: {
    'ContainerState/waiting': '*core/v1.ContainerStateWaiting',
    'ContainerState/running': '*core/v1.ContainerStateRunning',
    'ContainerState/terminated': '*core/v1.ContainerStateTerminated',
    name: 'string',
    container: 'string',
    imageID: 'string',
  },
  Artifacts: { inputs: '[]~Artifact', outputs: '[]~Artifact' },
  Artifact: { name: 'string', values: '[]~ArtifactValue', buildOutput: 'bool' },
  ArtifactValue: { digest: 'map[%.Algorithm]string', uri: 'string' },
  RefSource: { uri: 'string', digest: 'map[string]string', entryPoint: 'string' },
} satisfies StructTable;

/** What a StepAction says. The type of `args` has a name in one version and none in the other. */
export function stepActionSpec(args: string): Readonly<Record<string, string>> {
  return {
    description: 'string',
    image: 'string',
    command: '[]string',
    args,
    env: '[]core/v1.EnvVar',
    script: 'string',
    workingDir: 'string',
    params: '#v1.ParamSpecs=[]tekton/v1.ParamSpec',
    results: '[]tekton/v1.StepResult',
    securityContext: '*core/v1.SecurityContext',
    volumeMounts: '[]core/v1.VolumeMount',
  };
}

defineStructs('apis', {
  Condition: {
    type: '#apis.ConditionType!',
    status: '#v1.ConditionStatus!',
    severity: '#apis.ConditionSeverity',
    lastTransitionTime: 'tekton/apis.VolatileTime',
    reason: 'string',
    message: 'string',
  },
  /** A time that is a plain text in schemas. */
  VolatileTime: {},
});

defineStructs('pod', {
  Template: {
    nodeSelector: 'map[string]string',
    env: '[]core/v1.EnvVar',
    tolerations: '[]core/v1.Toleration',
    affinity: '*core/v1.Affinity?',
    securityContext: '*core/v1.PodSecurityContext?',
    volumes: '#pod.Volumes=[]core/v1.Volume?',
    runtimeClassName: '*string',
    automountServiceAccountToken: '*bool',
    dnsPolicy: '*#v1.DNSPolicy',
    dnsConfig: '*core/v1.PodDNSConfig',
    enableServiceLinks: '*bool',
    priorityClassName: '*string',
    schedulerName: 'string',
    imagePullSecrets: '[]core/v1.LocalObjectReference',
    hostAliases: '[]core/v1.HostAlias',
    hostNetwork: 'bool',
    hostUsers: '*bool',
    topologySpreadConstraints: '[]core/v1.TopologySpreadConstraint',
  },
  AffinityAssistantTemplate: {
    nodeSelector: 'map[string]string',
    tolerations: '[]core/v1.Toleration',
    imagePullSecrets: '[]core/v1.LocalObjectReference',
    securityContext: '*core/v1.PodSecurityContext',
    priorityClassName: '*string',
    serviceAccountName: 'string',
  },
});

const switches = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'bool']));
const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'string']));

defineStructs('config', {
  FeatureFlags: {
    ...switches('disableCredsInit', 'runningInEnvWithInjectedSidecars', 'requireGitSSHSecretKnownHosts'),
    ...switches('sendCloudEventsForRuns', 'awaitSidecarReadiness', 'enableKeepPodOnCancel'),
    ...switches('enableProvenanceInStatus', 'setSecurityContext', 'setSecurityContextReadOnlyRootFilesystem'),
    ...switches('enableCELInWhenExpression', 'enableStepActions', 'enableParamEnum', 'enableArtifacts'),
    ...switches('enableConciseResolverSyntax', 'enableKubernetesSidecar', 'enableWaitExponentialBackoff'),
    ...switches('enableTerminationMessageCompression'),
    ...texts('enableAPIFields', 'enforceNonfalsifiability', 'verificationNoMatchPolicy', 'resultExtractionMethod'),
    ...texts('coschedule', 'disableInlineSpec'),
    maxResultSize: '#int=int64',
    enableTektonOCIBundles: '*bool',
  },
});
