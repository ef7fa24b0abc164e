import type { TableColumn } from '../../kind-strategy.ts';
import { age, column, name } from '../table/columns.ts';

export const ingressColumns: readonly TableColumn[] = [
  name,
  column('Class', 'string', 'The name of the IngressClass resource that should be used for additional configuration'),
  column('Hosts', 'string', 'Hosts that incoming requests are matched against before the ingress rule'),
  column('Address', 'string', 'Address is a list containing ingress points for the load-balancer'),
  column('Ports', 'string', 'Ports of TLS configurations that open'),
  age,
];

export const ingressClassColumns: readonly TableColumn[] = [
  name,
  column('Controller', 'string', 'Controller that is responsible for handling this class'),
  column('Parameters', 'string', 'A reference to a resource with additional parameters'),
  age,
];

export const networkPolicyColumns: readonly TableColumn[] = [
  name,
  column(
    'Pod-Selector',
    'string',
    "podSelector selects the pods to which this NetworkPolicy object applies. The array of rules is applied to any pods selected by this field. An empty selector matches all pods in the policy's namespace. Multiple network policies can select the same set of pods. In this case, the ingress rules for each are combined additively. This field is optional. If it is not specified, it defaults to an empty selector.",
  ),
  age,
];

export const serviceCIDRColumns: readonly TableColumn[] = [
  name,
  column(
    'CIDRs',
    'string',
    'CIDRs defines the IP blocks in CIDR notation (e.g. "192.168.0.0/24" or "2001:db8::/64") from which to assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This field is immutable.',
  ),
  age,
];

export const ipAddressColumns: readonly TableColumn[] = [
  name,
  column(
    'ParentRef',
    'string',
    'ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.',
  ),
];
