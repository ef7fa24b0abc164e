import {
  duplicate,
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  type Mutable,
  notSupported,
  required,
} from '@tektite/meta';
import type { CSIDriver, CSIDriverSpec, StorageV1TokenRequest } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkImmutable } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { csiDriverColumns } from './columns.ts';

const path = FieldPath.of('spec');
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const shortestToken = 600;
const maxToken = 2 ** 32;

function defaultDriver(driver: Mutable<CSIDriver>): void {
  const spec = (driver.spec ??= {});
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

function validateSpec(spec: CSIDriverSpec): FieldError[] {
  const errors: FieldError[] = [];
  // The first name has one `d` too many; that is upstream's slip.
  if (spec.attachRequired === undefined) errors.push(required(path.child('attachedRequired')));
  if (spec.podInfoOnMount === undefined) errors.push(required(path.child('podInfoOnMount')));
  if (spec.storageCapacity === undefined) errors.push(required(path.child('storageCapacity')));
  if (spec.fsGroupPolicy !== undefined && !groupPolicies.includes(spec.fsGroupPolicy))
    errors.push(notSupported(path.child('fsGroupPolicy'), spec.fsGroupPolicy, groupPolicies));
  validateTokenRequests(spec.tokenRequests ?? [], path.child('tokenRequests'), errors);
  for (const mode of spec.volumeLifecycleModes ?? [])
    if (mode !== 'Persistent' && mode !== 'Ephemeral')
      errors.push(notSupported(path.child('volumeLifecycleModes'), mode, ['Persistent', 'Ephemeral']));
  if (spec.seLinuxMount === undefined) errors.push(required(path.child('seLinuxMount')));
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < 10)
    errors.push(
      invalid(path.child('nodeAllocatableUpdatePeriodSeconds'), period, 'must be greater than or equal to 10 seconds'),
    );
  if (spec.serviceAccountTokenInSecrets !== undefined && !spec.tokenRequests?.length)
    errors.push(
      invalid(
        path.child('serviceAccountTokenInSecrets'),
        spec.serviceAccountTokenInSecrets,
        'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
      ),
    );
  return errors;
}

function validateTokenRequests(requests: readonly StorageV1TokenRequest[], at: FieldPath, errors: FieldError[]): void {
  const audiences = new Set<string>();
  for (const [i, { audience = '', expirationSeconds: seconds }] of requests.entries()) {
    if (audiences.has(audience)) {
      errors.push(duplicate(at.index(i).child('audience'), audience));
      continue;
    }
    audiences.add(audience);
    if (seconds === undefined) continue;
    const report = (detail: string) => errors.push(invalid(at.index(i).child('expirationSeconds'), seconds, detail));
    if (seconds < shortestToken) report('may not specify a duration less than 10 minutes');
    if (seconds > maxToken) report('may not specify a duration larger than 2^32 seconds');
  }
}

function validateChange({ spec }: CSIDriver, old: CSIDriver): FieldError[] {
  const errors = validateSpec(spec ?? {});
  checkImmutable(spec?.attachRequired, old.spec?.attachRequired, path.child('attachedRequired'), errors);
  const modesPath = path.child('volumeLifecycleModes');
  checkImmutable(spec?.volumeLifecycleModes, old.spec?.volumeLifecycleModes, modesPath, errors);
  return errors;
}

function driverWarnings({ spec }: CSIDriver, old: CSIDriver | undefined): string[] {
  if (!spec?.tokenRequests?.length || spec.serviceAccountTokenInSecrets !== undefined) return [];
  if (old && equalJson(spec.tokenRequests, old.spec?.tokenRequests)) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
}

export const csiDriverStrategy: KindStrategy<CSIDriver> = {
  default: defaultDriver,
  prepareForCreate(driver) {
    // The generation starts to count with the first change.
    delete driver.metadata.generation;
    delete driver.spec.preventPodSchedulingIfMissing;
  },
  prepareForUpdate(driver) {
    delete driver.spec.preventPodSchedulingIfMissing;
  },
  validateCreate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: validateChange,
  warnings: driverWarnings,
  table: {
    columns: csiDriverColumns,
    row(driver, context) {
      const { spec } = driver;
      return [
        nameOf(driver),
        spec?.attachRequired ?? true,
        spec?.podInfoOnMount ?? false,
        spec?.storageCapacity ?? false,
        spec?.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
        spec?.requiresRepublish ?? false,
        spec?.volumeLifecycleModes?.join(',') || '<none>',
        ageOf(driver, context),
      ];
    },
  },
  generationChanged: (driver, old) => !equalJson(driver.spec, old.spec),
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
};
