import { type FieldError, FieldPath, invalid, required } from '@tektite/meta';
import type { ServiceCIDR } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { isIpv6, parseCidr } from '../network/ip-address.ts';
import { validateCanonicalCidr } from '../network/validate-ip.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { serviceCIDRColumns } from './columns.ts';

const path = FieldPath.of('spec', 'cidrs');

function validateServiceCidr({ spec }: ServiceCIDR): FieldError[] {
  const cidrs = spec?.cidrs ?? [];
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalid(path, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const errors: FieldError[] = [];
  for (const [i, cidr] of cidrs.entries()) validateCanonicalCidr(cidr, path.index(i), errors);
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr)?.address);
  if (first && second && isIpv6(first) === isIpv6(second))
    errors.push(
      invalid(path, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'),
    );
  return errors;
}

/** Ranges stay; a second family may be added. */
function validateChange(range: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const [cidrs, before] = [range.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
  const isExtended = before.length === 1 && cidrs.length === 2;
  if (cidrs.length !== before.length && !isExtended) return [invalid(path, cidrs, 'field is immutable')];
  const errors = before.flatMap((cidr, i) =>
    cidr === cidrs[i] ? [] : [invalid(path.index(i), cidrs[i], 'field is immutable')],
  );
  return isExtended ? [...errors, ...validateServiceCidr(range)] : errors;
}

export const serviceCidrStrategy: KindStrategy<ServiceCIDR> = {
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: validateServiceCidr,
  validateUpdate: validateChange,
  table: {
    columns: serviceCIDRColumns,
    row: (range, context) => [nameOf(range), (range.spec?.cidrs ?? []).join(','), ageOf(range, context)],
  },
};
