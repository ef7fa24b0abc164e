import { equalJson, type KubeObject } from '@tektite/meta';
import type { DeviceClass, ResourceClaimTemplate, ResourceSlice } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import {
  deviceClassColumns,
  resourceClaimColumns,
  resourceClaimTemplateColumns,
  resourceSliceColumns,
} from './columns.ts';

/**
 * Kinds that hand out devices. No node here has devices, so that these kinds are stored and shown, but not validated
 * beyond their types.
 */

export const deviceClassStrategy: KindStrategy<DeviceClass> = {
  table: {
    columns: deviceClassColumns,
    row: (deviceClass, context) => [nameOf(deviceClass), ageOf(deviceClass, context)],
  },
  generationChanged: (deviceClass, old) => !equalJson(deviceClass.spec, old.spec),
  returnDeletedObject: true,
};

/** The part of a claim that is validated. */
interface Claim extends KubeObject {
  readonly spec?: DeviceRequests;
  readonly status?: { readonly allocation?: object; readonly reservedFor?: readonly object[] };
}

function claimState({ metadata, status }: Claim): string {
  const states: string[] = metadata.deletionTimestamp ? ['deleted'] : [];
  if (status?.allocation) states.push('allocated', ...(status.reservedFor?.length ? ['reserved'] : []));
  else if (!metadata.deletionTimestamp) states.push('pending');
  return states.join(',');
}

interface DeviceRequests {
  readonly devices?: {
    readonly requests?: readonly { readonly exactly?: object; readonly firstAvailable?: readonly object[] }[];
  };
}

/** A request that does not say how many devices it wants wants one. */
function defaultRequests(spec: DeviceRequests | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    for (const wanted of [exactly, ...firstAvailable] as { allocationMode?: string; count?: number }[]) {
      if (!wanted) continue;
      wanted.allocationMode ||= 'ExactCount';
      if (wanted.allocationMode === 'ExactCount') wanted.count ||= 1;
    }
  }
}

export const resourceClaimStrategy: KindStrategy<Claim> = {
  default: ({ spec }) => defaultRequests(spec),
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  table: {
    columns: resourceClaimColumns,
    row: (claim, context) => [nameOf(claim), claimState(claim), ageOf(claim, context)],
  },
  returnDeletedObject: true,
};

export const resourceClaimTemplateStrategy: KindStrategy<ResourceClaimTemplate> = {
  default: ({ spec }) => defaultRequests(spec?.spec as DeviceRequests | undefined),
  table: {
    columns: resourceClaimTemplateColumns,
    row: (template, context) => [nameOf(template), ageOf(template, context)],
  },
  returnDeletedObject: true,
};

export const resourceSliceStrategy: KindStrategy<ResourceSlice> = {
  selectableFields: ['spec.nodeName', 'spec.driver'],
  unsupportedField: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  fields: ({ spec }) => ({ 'spec.nodeName': spec?.nodeName ?? '', 'spec.driver': spec?.driver ?? '' }),
  table: {
    columns: resourceSliceColumns,
    row: (slice, context) => [
      nameOf(slice),
      slice.spec?.nodeName ?? '',
      slice.spec?.driver ?? '',
      slice.spec?.pool?.name ?? '',
      ageOf(slice, context),
    ],
  },
  generationChanged: (slice, old) => !equalJson(slice.spec, old.spec),
  returnDeletedObject: true,
};
