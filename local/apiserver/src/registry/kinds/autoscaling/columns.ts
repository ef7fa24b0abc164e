import type { TableColumn } from '../../kind-strategy.ts';
import { age, column, name, nameDescription } from '../table/columns.ts';

export const horizontalPodAutoscalerColumns: readonly TableColumn[] = [
  name,
  column(
    'Reference',
    'string',
    'scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be collected, as well as to actually change the replica count.',
  ),
  column(
    'Targets',
    'string',
    'metrics contains the specifications for which to use to calculate the desired replica count (the maximum replica count across all metrics will be used).  The desired replica count is calculated multiplying the ratio between the target value and the current value by the current number of pods.  Ergo, metrics used must decrease as the pod count is increased, and vice-versa.  See the individual metric source types for more information about how each type of metric must respond. If not set, the default metric will be set to 80% average CPU utilization.',
  ),
  column(
    'MinPods',
    'string',
    'minReplicas is the lower limit for the number of replicas to which the autoscaler can scale down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate HPAScaleToZero is enabled and at least one Object or External metric is configured.  Scaling is active as long as at least one metric value is available.',
  ),
  column(
    'MaxPods',
    'string',
    'maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up. It cannot be less that minReplicas.',
  ),
  column(
    'Replicas',
    'string',
    'currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen by the autoscaler.',
  ),
  age,
];

export const scaleColumns: readonly TableColumn[] = [
  column('Name', 'string', nameDescription),
  column('Desired', 'integer', 'replicas is the desired number of instances for the scaled object.'),
  column('Available', 'integer', 'replicas is the actual number of observed instances of the scaled object.'),
  age,
];
