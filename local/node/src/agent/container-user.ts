import type { Container, Pod } from '@tektite/schema/kubernetes';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ContainerUser } from '../runtime/pod-runtime.ts';
import { podName } from '../container/container-record.ts';

/** Who a container runs as: its own words, else the Pod's, else the image's (which is left open here). */
export function containerUser(pod: Pod, container: Container, imageUser: string | undefined): ContainerUser {
  const common = pod.spec?.securityContext ?? {};
  const own = container.securityContext ?? {};
  const uid = own.runAsUser ?? common.runAsUser;
  const gid = own.runAsGroup ?? common.runAsGroup;
  if (own.runAsNonRoot ?? common.runAsNonRoot) refuseRoot(pod, container, uid, imageUser);
  const supplementalGroups = [
    ...new Set([...(common.supplementalGroups ?? []), ...(common.fsGroup === undefined ? [] : [common.fsGroup])]),
  ];
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }), supplementalGroups };
}

function refuseRoot(pod: Pod, container: Container, uid: number | undefined, imageUser: string | undefined): void {
  const where = `(pod: ${JSON.stringify(podName(pod))}, container: ${container.name})`;
  const fail = (message: string) => {
    throw new ContainerStartError('CreateContainerConfigError', `${message} ${where}`);
  };
  if (uid !== undefined) {
    if (uid === 0) fail("container's runAsUser breaks non-root policy");
    return;
  }
  const [name = '0'] = (imageUser ?? '0').split(':');
  if (!/^\d+$/.test(name))
    fail(`container has runAsNonRoot and image has non-numeric user (${name}), cannot verify user is non-root`);
  if (Number(name) === 0) fail('container has runAsNonRoot and image will run as root');
}
