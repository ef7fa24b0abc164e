import type { TableColumn } from '../../kind-strategy.ts';
import { age, column, containers, images, name, wide } from '../table/columns.ts';

export const replicaSetColumns: readonly TableColumn[] = [
  name,
  column(
    'Desired',
    'integer',
    'Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset',
  ),
  column(
    'Current',
    'integer',
    'Replicas is the most recently observed number of non-terminating pods. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset',
  ),
  column('Ready', 'integer', 'The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.'),
  age,
  containers,
  images,
  wide(
    'Selector',
    "Selector is a label query over pods that should match the replica count. Label keys and values that must match in order to be controlled by this replica set. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
  ),
];

export const daemonSetColumns: readonly TableColumn[] = [
  name,
  column(
    'Desired',
    'integer',
    'The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/',
  ),
  column(
    'Current',
    'integer',
    'The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/',
  ),
  column(
    'Ready',
    'integer',
    'numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running with a Ready Condition.',
  ),
  column('Up-to-date', 'integer', 'The total number of nodes that are running updated daemon pod'),
  column(
    'Available',
    'integer',
    'The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)',
  ),
  column(
    'Node Selector',
    'string',
    "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
  ),
  age,
  containers,
  images,
  wide(
    'Selector',
    "A label query over pods that are managed by the daemon set. Must match in order to be controlled. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
  ),
];

export const statefulSetColumns: readonly TableColumn[] = [
  name,
  column('Ready', 'string', 'Number of the pod with ready state'),
  age,
  containers,
  images,
];

export const deploymentColumns: readonly TableColumn[] = [
  name,
  column('Ready', 'string', 'Number of the pod with ready state'),
  column(
    'Up-to-date',
    'string',
    'Total number of non-terminating pods targeted by this deployment that have the desired template spec.',
  ),
  column(
    'Available',
    'string',
    'Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment.',
  ),
  age,
  containers,
  images,
  wide(
    'Selector',
    "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment. It must match the pod template's labels.",
  ),
];

export const controllerRevisionColumns: readonly TableColumn[] = [
  name,
  column('Controller', 'string', 'Controller of the object'),
  column('Revision', 'string', 'Revision indicates the revision of the state represented by Data.'),
  age,
];
