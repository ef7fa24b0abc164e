import { type FieldError, type FieldPath, invalid, validateDns1123Subdomain, utf8Length } from '@tektite/meta';
import type { PodSpec, WindowsSecurityContextOptions } from '@tektite/schema/kubernetes';
import { checkText } from '../../field-checks.ts';
import { visitContainers } from './visit-containers.ts';

const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const maxDomainLength = 256;
const maxUserLength = 104;
const maxCredentialSpec = 64 * 1024;

export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!options) return;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined)
    checkText(gmsaCredentialSpecName, validateDns1123Subdomain, path.child('gmsaCredentialSpecName'), errors);
  if (gmsaCredentialSpec !== undefined) {
    const specPath = path.child('gmsaCredentialSpec');
    if (gmsaCredentialSpec === '') errors.push(invalid(specPath, '', 'gmsaCredentialSpec cannot be an empty string'));
    else if (utf8Length(gmsaCredentialSpec) > maxCredentialSpec)
      errors.push(invalid(specPath, gmsaCredentialSpec, 'gmsaCredentialSpec size must be under 64 KiB'));
  }
  if (runAsUserName !== undefined)
    for (const violation of userNameViolations(runAsUserName))
      errors.push(invalid(path.child('runAsUserName'), runAsUserName, violation));
}

function userNameViolations(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (/\p{Cc}/u.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const domain = parts.length === 2 ? (parts[0] as string) : undefined;
  const user = parts[parts.length - 1] as string;
  const violations: string[] = [];
  if (domain !== undefined) {
    if (utf8Length(domain) >= maxDomainLength)
      violations.push(`runAsUserName's Domain length must be under ${maxDomainLength} characters`);
    if (!netBiosName.test(domain) && !dnsName.test(domain))
      violations.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') violations.push("runAsUserName's User cannot be empty");
  else if (utf8Length(user) > maxUserLength)
    violations.push(`runAsUserName's User length must not be longer than ${maxUserLength} characters`);
  if (/^[. ]+$/.test(user)) violations.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    violations.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return violations;
}

/** Either all containers of a Pod are processes of a Windows host, or none is. */
export function validateHostProcess(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  visitContainers(spec, path, (container, containerPath) => {
    containers++;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const ownPath = containerPath.child('securityContext', 'windowsOptions', 'hostProcess');
      errors.push(invalid(ownPath, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`));
    }
    if (own ?? ofPod) hostProcesses++;
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalid(path, '', detail));
  }
  if (!spec.hostNetwork) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalid(path.child('hostNetwork'), false, detail));
  }
}
