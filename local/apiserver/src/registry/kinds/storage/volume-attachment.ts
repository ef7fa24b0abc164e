import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  nameIsDnsSubdomain,
  inclusiveRangeError,
  required,
  tooLong,
  utf8Length,
} from '@tektite/meta';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { validateVolumeSpec } from '../core/persistent-volume-spec.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { checkImmutable, checkText } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { volumeAttachmentColumns } from './columns.ts';
import { sizeOf } from './parameters.ts';

const maxMetadata = 256 * 1024;
const maxErrorLength = 1024;

const isName = (name: string): string[] => nameIsDnsSubdomain(name, false);

function validateAttachment({ spec, status }: VolumeAttachment): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  validateCsiDriverName(spec?.attacher, path.child('attacher'), errors);
  validateSource(spec?.source ?? {}, path.child('source'), errors);
  checkText(spec?.nodeName ?? '', isName, path.child('nodeName'), errors);
  const statusPath = FieldPath.of('status');
  if (sizeOf(status?.attachmentMetadata ?? {}) > maxMetadata)
    errors.push(tooLong(statusPath.child('attachmentMetadata'), maxMetadata));
  for (const field of ['attachError', 'detachError'] as const)
    validateError(status?.[field], statusPath.child(field), errors);
  const volume = spec?.source?.persistentVolumeName;
  if (volume !== undefined) checkText(volume, isName, FieldPath.of('spec.source.persistentVolumeName'), errors);
  return errors;
}

function validateSource(source: VolumeAttachmentSource, path: FieldPath, errors: FieldError[]): void {
  const { persistentVolumeName: volume, inlineVolumeSpec: inline } = source;
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (volume === undefined && !inline) errors.push(required(path, one));
  else if (volume !== undefined && inline) errors.push(forbidden(path, one));
  else if (inline) validateVolumeSpec(inline, '', true, path.child('inlineVolumeSpec'), errors);
  else if (volume === '')
    errors.push(required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName'));
}

function validateError(error: VolumeError | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!error) return;
  // The limit that the message names is another one; that is upstream's slip.
  if (utf8Length(error.message ?? '') > maxErrorLength) errors.push(tooLong(path.child('message'), maxMetadata));
  if (error.errorCode !== undefined && error.errorCode < 0)
    errors.push(invalid(path.child('errorCode'), error.errorCode, inclusiveRangeError(0, 2 ** 31 - 1)));
}

function validateChange(attachment: VolumeAttachment, old: VolumeAttachment): FieldError[] {
  const errors = validateAttachment(attachment);
  checkImmutable(attachment.spec, old.spec, FieldPath.of('spec'), errors, (spec) =>
    goValue('VolumeAttachmentSpec', spec),
  );
  return errors;
}

export const volumeAttachmentStrategy: KindStrategy<VolumeAttachment> = {
  metadataRules: { onUpdate: 'create' },
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: validateAttachment,
  validateUpdate: validateChange,
  subresources: { status: { keepsMetadata: true, validateUpdate: validateChange } },
  table: {
    columns: volumeAttachmentColumns,
    row: (attachment, context) => [
      nameOf(attachment),
      attachment.spec.attacher,
      attachment.spec.source?.persistentVolumeName ?? '',
      attachment.spec.nodeName,
      attachment.status?.attached ?? false,
      ageOf(attachment, context),
    ],
  },
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
};
