/** Descriptions of the fields of a struct, in our own words. */
export type FieldDescriptions = Readonly<Record<string, string>>;

export const removed = 'Removed from the API: accepted and without effect.';
const ignored = 'Accepted for v1beta1 and without effect in steps.';

/** Fields that steps, their template and sidecars take over from containers. */
const container: FieldDescriptions = {
  image: 'Image of the container.',
  command: 'Program to run in place of the entrypoint of the image. Excludes script.',
  args: 'Arguments of the command, of the script, or of the entrypoint of the image.',
  workingDir: 'Directory that the program starts in. Default: that of the image.',
  envFrom: 'ConfigMaps and Secrets whose keys become environment variables.',
  env: 'Environment variables.',
  computeResources: 'CPU, memory and other resources that are requested, and their limits.',
  resources: 'CPU, memory and other resources that are requested, and their limits.',
  volumeMounts: 'Volumes of the Task to mount, and where.',
  volumeDevices: 'Raw block devices to map into the container.',
  imagePullPolicy: 'When the image is pulled: Always, IfNotPresent or Never.',
  securityContext: 'User, capabilities and other security settings of the container.',
};

const probes: FieldDescriptions = {
  ports: 'Ports that the container listens on.',
  livenessProbe: 'Check whose failure restarts the container.',
  readinessProbe: 'Check that the container is ready.',
  startupProbe: 'Check that the container has started.',
  lifecycle: 'Hooks that run after the start and before the stop.',
  terminationMessagePath: 'File whose content becomes the termination message.',
  terminationMessagePolicy: 'Source of the termination message: File or FallbackToLogsOnError.',
  stdin: 'Keep standard input open.',
  stdinOnce: 'Close standard input after the first client has detached.',
  tty: 'Allocate a terminal.',
};

const ignoredProbes: FieldDescriptions = Object.fromEntries(Object.keys(probes).map((field) => [field, ignored]));

export const containerDescriptions: Readonly<Record<string, FieldDescriptions>> = {
  Step: {
    ...ignoredProbes,
    ...container,
    name: 'Name of the step, unique in its Task.',
    displayName: 'Title for people.',
    script:
      'Text to run in place of command. The first line may name an interpreter (#!); without one it is run by sh.',
    timeout: 'Max duration of the step, such as 5m. The step fails after it.',
    workspaces: 'Workspaces of the Task that only the named steps and sidecars get.',
    onError: 'Reaction to a non-zero exit code: stopAndFail (default) or continue.',
    stdoutConfig: 'Copy standard output to a file.',
    stderrConfig: 'Copy standard error to a file.',
    ref: 'StepAction to run in place of image, command and script.',
    params: 'Values for the params of the StepAction.',
    results: 'Results that this step writes.',
    when: 'Conditions that all have to hold; otherwise the step is skipped.',
  },
  StepTemplate: {
    ...ignoredProbes,
    ...container,
    name: ignored,
  },
  Sidecar: {
    ...probes,
    ...container,
    name: 'Name of the sidecar, unique in its Task.',
    script: 'Text to run in place of command.',
    workspaces: 'Workspaces of the Task that the sidecar gets.',
    restartPolicy: 'Always makes it a sidecar of Kubernetes: it starts before the steps and is restarted.',
  },
  StepActionSpec: {
    ...container,
    description: 'Purpose of the StepAction, for people.',
    script: 'Text to run in place of command.',
    params: 'Params that steps can give it.',
    results: 'Results that it writes.',
    volumeMounts: 'Volumes of the Task to mount; names may be params.',
  },
  StepOutputConfig: { path: 'File that the output is copied to, such as $(results.log.path).' },
  Ref: {
    name: 'Name of a StepAction in the same namespace.',
    resolver: 'Resolver that fetches the StepAction: git, bundles, hub, http or cluster.',
    params: 'Params of the resolver, such as url, revision and pathInRepo.',
  },
  StepResult: {
    name: 'Name of the result.',
    type: 'Type of the value: string (default), array or object.',
    properties: 'Keys of an object and their types.',
    description: 'Meaning of the result, for people.',
  },
  WorkspaceUsage: { name: 'Name of a workspace of the Task.', mountPath: 'Where to mount it in this container.' },
  Template: {
    nodeSelector: 'Labels of the nodes that the Pod may run on.',
    env: 'Environment variables of all containers.',
    tolerations: 'Taints that the Pod tolerates.',
    affinity: 'Rules for the choice of a node.',
    securityContext: 'Security settings of the Pod.',
    volumes: 'Volumes that containers can mount.',
    runtimeClassName: 'RuntimeClass that runs the Pod.',
    automountServiceAccountToken: 'Mount the token of the service account. Default: true.',
    dnsPolicy: 'DNS policy of the Pod.',
    dnsConfig: 'Name servers, searches and options for DNS.',
    enableServiceLinks: 'Set environment variables for Services.',
    priorityClassName: 'PriorityClass of the Pod.',
    schedulerName: 'Scheduler that binds the Pod.',
    imagePullSecrets: 'Secrets for pulling images.',
    hostAliases: 'Lines for /etc/hosts.',
    hostNetwork: 'Use the network of the node.',
    hostUsers: 'Use the user namespace of the node. Default: true.',
    topologySpreadConstraints: 'Rules that spread Pods over nodes and zones.',
  },
};
