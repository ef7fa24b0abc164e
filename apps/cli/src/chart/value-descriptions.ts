import type { ReleaseValues } from '../release/release-values.ts';

/** Values of charts, in a line each: for the comments of `values.yaml` and for its schema. */
export const valueDescriptions: Readonly<Record<keyof ReleaseValues, string>> = {
  image: 'The image of this program.',
  imagePullPolicy: 'When the image is pulled: Always, IfNotPresent or Never.',
  imagePullSecrets: 'Secrets with logins of registries, as [{name: login}].',
  entrypointImage: 'The image with the programs that Pods of TaskRuns start with.',
  shellImage: 'The image with the shell that places the scripts of steps.',
  replicas: 'Processes that share the work by leader election.',
  logLevel: 'debug, info, warn or error.',
  leaderElection: 'How long others wait for a leader that is silent, when it stops itself, and how often both try.',
  shutdownDelay: 'How long webhooks of a Pod that is deleted are answered, while the Service forgets it. At most 20s.',
  extraArgs: 'Further arguments of the program, as [--buckets, "2"].',
  envFrom: 'Secrets and ConfigMaps whose keys are variables of the program, as [{secretRef: {name: database}}].',
  resources: 'Requests and limits of the container.',
  nodeSelector: 'Labels of the nodes that Pods may run on.',
  tolerations: 'Taints of nodes that Pods tolerate.',
  affinity: 'Rules for the placement of Pods.',
  priorityClassName: 'The PriorityClass of Pods, as system-cluster-critical.',
  podDisruptionBudget: 'Whether nodes are drained one Pod at a time.',
  networkPolicy: 'Whether only webhooks and metrics can be reached.',
  serviceMonitor: "Whether the Prometheus operator's ServiceMonitor is created.",
  grafanaDashboard: "Whether a ConfigMap with a dashboard for Grafana's sidecar is created.",
  crds: 'Whether CustomResourceDefinitions are installed, and kept when the release is uninstalled.',
  takeover:
    "Whether upstream's other Deployments, which are installed here, are scaled to zero: this one does their work.",
  autoInstall: 'Whether the operator creates a TektonConfig, and for which namespace.',
  login: 'How users log in to the page: token, or header with a proxy that --trusted-proxy in extraArgs names.',
};
