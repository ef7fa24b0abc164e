import { duplicate, type FieldError, type FieldPath, invalid, validatePortName, required } from '@tektite/meta';
import type { Container, ContainerPort } from '@tektite/schema/kubernetes';
import { checkPortNumber, checkRequiredSupported } from '../../field-checks.ts';

export const portProtocols = ['SCTP', 'TCP', 'UDP'];

export function validateContainerPorts(ports: readonly ContainerPort[], path: FieldPath, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const portPath = path.index(i);
    if (port.name) validateContainerPortName(port.name, names, portPath.child('name'), errors);
    if (!port.containerPort) errors.push(required(portPath.child('containerPort')));
    else checkPortNumber(port.containerPort, portPath.child('containerPort'), errors);
    if (port.hostPort) checkPortNumber(port.hostPort, portPath.child('hostPort'), errors);
    checkRequiredSupported(port.protocol, portProtocols, portPath.child('protocol'), errors);
  }
}

function validateContainerPortName(name: string, names: Set<string>, path: FieldPath, errors: FieldError[]): void {
  const violations = validatePortName(name);
  for (const violation of violations) errors.push(invalid(path, name, violation));
  if (violations.length > 0) return;
  if (names.has(name)) errors.push(duplicate(path, name));
  names.add(name);
}

/** Two containers may not ask for the same port of the host. */
export function checkHostPortConflicts(containers: readonly Container[], path: FieldPath, errors: FieldError[]): void {
  const taken = new Set<string>();
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of (container.ports ?? []).entries()) {
      if (!port.hostPort) continue;
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      if (taken.has(key)) errors.push(duplicate(path.index(i).child('ports').index(j).child('hostPort'), key));
      taken.add(key);
    }
  }
}

/** On the network of the host a port is the host's port. */
export function checkHostNetworkPorts(
  containers: readonly Container[],
  path: FieldPath,
  isPod: boolean,
  errors: FieldError[],
): void {
  for (const [i, container] of containers.entries()) {
    for (const [j, { hostPort = 0, containerPort = 0 }] of (container.ports ?? []).entries()) {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) continue;
      const portPath = path.index(i).child('ports').index(j).child('hostPort');
      errors.push(invalid(portPath, hostPort, 'must match `containerPort` when `hostNetwork` is true'));
    }
  }
}
