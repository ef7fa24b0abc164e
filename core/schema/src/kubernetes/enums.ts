/**
 * The values of named strings that Kubernetes calls enums, by the package and the name of the Go type, in the order in which OpenAPI
 * lists them. They are documentation: no field is validated by them.
 */
const enums: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'admissionregistration/v1': {
    FailurePolicyType: ['Fail', 'Ignore'],
    MatchPolicyType: ['Equivalent', 'Exact'],
    OperationType: ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'],
    PatchType: ['ApplyConfiguration', 'JSONPatch'],
    ReinvocationPolicyType: ['IfNeeded', 'Never'],
    ScopeType: ['*', 'Cluster', 'Namespaced'],
    SideEffectClass: ['None', 'NoneOnDryRun', 'Some', 'Unknown'],
    ValidationAction: ['Audit', 'Deny', 'Warn'],
  },
  'apiextensions/v1': {
    FieldValueErrorReason: ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'],
  },
  'apps/v1': {
    DaemonSetUpdateStrategyType: ['OnDelete', 'RollingUpdate'],
    DeploymentStrategyType: ['Recreate', 'RollingUpdate'],
    PodManagementPolicyType: ['OrderedReady', 'Parallel'],
    StatefulSetUpdateStrategyType: ['OnDelete', 'RollingUpdate'],
  },
  'batch/v1': {
    CompletionMode: ['Indexed', 'NonIndexed'],
    ConcurrencyPolicy: ['Allow', 'Forbid', 'Replace'],
    PodFailurePolicyAction: ['Count', 'FailIndex', 'FailJob', 'Ignore'],
    PodFailurePolicyOnExitCodesOperator: ['In', 'NotIn'],
    PodReplacementPolicy: ['Failed', 'TerminatingOrFailed'],
  },
  'certificates/v1': {
    KeyUsage: [
      'any',
      'cert sign',
      'client auth',
      'code signing',
      'content commitment',
      'crl sign',
      'data encipherment',
      'decipher only',
      'digital signature',
      'email protection',
      'encipher only',
      'ipsec end system',
      'ipsec tunnel',
      'ipsec user',
      'key agreement',
      'key encipherment',
      'microsoft sgc',
      'netscape sgc',
      'ocsp signing',
      's/mime',
      'server auth',
      'signing',
      'timestamping',
    ],
  },
  'core/v1': {
    AppArmorProfileType: ['Localhost', 'RuntimeDefault', 'Unconfined'],
    AzureDataDiskCachingMode: ['None', 'ReadOnly', 'ReadWrite'],
    AzureDataDiskKind: ['Dedicated', 'Managed', 'Shared'],
    ClaimResourceStatus: [
      'ControllerResizeInProgress',
      'ControllerResizeInfeasible',
      'NodeResizeInProgress',
      'NodeResizeInfeasible',
      'NodeResizePending',
    ],
    DNSPolicy: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
    HostPathType: ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
    IPFamily: ['', 'IPv4', 'IPv6'],
    IPFamilyPolicy: ['PreferDualStack', 'RequireDualStack', 'SingleStack'],
    MountPropagationMode: ['Bidirectional', 'HostToContainer', 'None'],
    NamespacePhase: ['Active', 'Terminating'],
    NodeInclusionPolicy: ['Honor', 'Ignore'],
    NodePhase: ['Pending', 'Running', 'Terminated'],
    NodeSelectorOperator: ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn'],
    PersistentVolumeAccessMode: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'],
    PersistentVolumeClaimModifyVolumeStatus: ['InProgress', 'Infeasible', 'Pending'],
    PersistentVolumeClaimPhase: ['Bound', 'Lost', 'Pending'],
    PersistentVolumeMode: ['Block', 'Filesystem'],
    PersistentVolumePhase: ['Available', 'Bound', 'Failed', 'Pending', 'Released'],
    PersistentVolumeReclaimPolicy: ['Delete', 'Recycle', 'Retain'],
    PodFSGroupChangePolicy: ['Always', 'OnRootMismatch'],
    PodPhase: ['Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'],
    PodQOSClass: ['BestEffort', 'Burstable', 'Guaranteed'],
    PreemptionPolicy: ['Never', 'PreemptLowerPriority'],
    ProcMountType: ['Default', 'Unmasked'],
    Protocol: ['SCTP', 'TCP', 'UDP'],
    PullPolicy: ['Always', 'IfNotPresent', 'Never'],
    ResourceQuotaScope: [
      'BestEffort',
      'CrossNamespacePodAffinity',
      'NotBestEffort',
      'NotTerminating',
      'PriorityClass',
      'Terminating',
      'VolumeAttributesClass',
    ],
    RestartPolicy: ['Always', 'Never', 'OnFailure'],
    ScopeSelectorOperator: ['DoesNotExist', 'Exists', 'In', 'NotIn'],
    SeccompProfileType: ['Localhost', 'RuntimeDefault', 'Unconfined'],
    ServiceAffinity: ['ClientIP', 'None'],
    ServiceExternalTrafficPolicy: ['Cluster', 'Local'],
    ServiceInternalTrafficPolicy: ['Cluster', 'Local'],
    ServiceType: ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'],
    SupplementalGroupsPolicy: ['Merge', 'Strict'],
    TaintEffect: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'],
    TerminationMessagePolicy: ['FallbackToLogsOnError', 'File'],
    TolerationOperator: ['Equal', 'Exists', 'Gt', 'Lt'],
    URIScheme: ['HTTP', 'HTTPS'],
    UnsatisfiableConstraintAction: ['DoNotSchedule', 'ScheduleAnyway'],
    Signal: signals(),
  },
  'discovery/v1': {
    AddressType: ['FQDN', 'IPv4', 'IPv6'],
  },
  'networking/v1': {
    PathType: ['Exact', 'ImplementationSpecific', 'Prefix'],
    PolicyType: ['Egress', 'Ingress'],
  },
  'policy/v1': {
    UnhealthyPodEvictionPolicyType: ['AlwaysAllow', 'IfHealthyBudget'],
  },
  'resource/v1': {
    AllocationConfigSource: ['FromClaim', 'FromClass'],
    DeviceAllocationMode: ['All', 'ExactCount'],
    DeviceTaintEffect: ['NoExecute', 'NoSchedule', 'None'],
    DeviceTolerationOperator: ['Equal', 'Exists'],
  },
  'storage/v1': {
    VolumeBindingMode: ['Immediate', 'WaitForFirstConsumer'],
  },
};

/** Signals of Linux by name; those for real time have numbers relative to the first and the last. */
function signals(): readonly string[] {
  const names =
    'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ';
  const relative = (name: string, sign: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${name}${sign}${index + 1}`);
  return [...names.split(' '), 'RTMAX', ...relative('RTMAX', '-', 14), 'RTMIN', ...relative('RTMIN', '+', 15)]
    .map((name) => `SIG${name}`)
    .sort();
}

/**
 * The values that the field of a definition may have according to its Go type `goName` (`v1.PullPolicy`). A type that the package does not
 * have is one of `core/v1`.
 */
export function enumOf(definition: string, goName: string): readonly string[] | undefined {
  const own = enums[definition.slice(0, definition.indexOf('.'))];
  const name = goName.slice(goName.indexOf('.') + 1);
  return own?.[name] ?? (goName.startsWith('v1.') ? enums['core/v1']?.[name] : undefined);
}
