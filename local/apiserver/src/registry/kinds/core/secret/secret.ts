import {
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  validateConfigMapKey,
  type Mutable,
  required,
  tooLong,
} from '@tektite/meta';
import type { Secret } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../../kind-strategy.ts';
import { checkImmutable } from '../../field-checks.ts';
import { ageOf, nameOf } from '../../table/cells.ts';
import { secretColumns } from '../columns.ts';
import { base64Length } from '../base64-length.ts';
import { maxData } from '../config-map.ts';
import { jsonObjectError } from './docker-config.ts';
import { keyPairWarning } from './key-pair-warning.ts';

const dataPath = FieldPath.of('data');
const immutable = 'field is immutable when `immutable` is set';
const serviceAccountName = 'kubernetes.io/service-account.name';

/** `stringData` is only a way to write `data`. */
function mergeStringData(secret: Mutable<Secret>): void {
  secret.type ||= 'Opaque';
  if (secret.stringData === undefined) return;
  const data: Record<string, string> = Object.assign(Object.create(null) as Record<string, string>, secret.data);
  for (const [key, value] of Object.entries(secret.stringData)) data[key] = Buffer.from(value).toString('base64');
  if (Object.keys(secret.stringData).length > 0) secret.data = { ...data };
  delete secret.stringData;
}

function validateSecret(secret: Secret): FieldError[] {
  const errors: FieldError[] = [];
  const { data = {} } = secret;
  let size = 0;
  for (const key in data) {
    for (const violation of validateConfigMapKey(key)) errors.push(invalid(dataPath.key(key), key, violation));
    size += base64Length(data[key] as string);
  }
  if (size > maxData) errors.push(tooLong(dataPath, maxData));
  validateType(secret, data, errors);
  return errors;
}

function validateType(secret: Secret, data: Readonly<Record<string, string>>, errors: FieldError[]): void {
  const need = (key: string) => errors.push(required(dataPath.key(key)));
  const has = (key: string) => Object.hasOwn(data, key);
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      if (!secret.metadata.annotations?.[serviceAccountName])
        errors.push(required(FieldPath.of('metadata', 'annotations').key(serviceAccountName)));
      break;
    case 'kubernetes.io/dockercfg':
      validateJson('.dockercfg', data, errors);
      break;
    case 'kubernetes.io/dockerconfigjson':
      validateJson('.dockerconfigjson', data, errors);
      break;
    case 'kubernetes.io/basic-auth':
      if (!has('username') && !has('password')) {
        need('username');
        need('password');
      }
      break;
    case 'kubernetes.io/ssh-auth':
      if (!data['ssh-privatekey']) need('ssh-privatekey');
      break;
    case 'kubernetes.io/tls':
      if (!has('tls.crt')) need('tls.crt');
      if (!has('tls.key')) need('tls.key');
  }
}

function validateJson(key: string, data: Readonly<Record<string, string>>, errors: FieldError[]): void {
  const encoded = data[key];
  if (encoded === undefined) {
    errors.push(required(dataPath.key(key)));
    return;
  }
  const problem = jsonObjectError(Buffer.from(encoded, 'base64'));
  if (problem !== undefined) errors.push(invalid(dataPath.key(key), '<secret contents redacted>', problem));
}

export const secretStrategy: KindStrategy<Secret> = {
  metadataRules: { onUpdate: 'both' },
  default: mergeStringData,
  validateCreate: validateSecret,
  validateUpdate(secret, old) {
    const errors: FieldError[] = [];
    checkImmutable(secret.type ?? '', old.type ?? '', FieldPath.of('type'), errors);
    if (old.immutable) {
      if (!secret.immutable) errors.push(forbidden('immutable', immutable));
      if (!equalJson(secret.data ?? {}, old.data ?? {})) errors.push(forbidden('data', immutable));
    }
    return [...errors, ...validateSecret(secret)];
  },
  warnings(secret) {
    if (secret.type !== 'kubernetes.io/tls') return [];
    const warning = keyPairWarning(secret.data?.['tls.crt'] ?? '', secret.data?.['tls.key'] ?? '');
    return warning === undefined ? [] : [warning];
  },
  selectableFields: ['type'],
  fields: ({ type = '' }) => ({ type }),
  table: {
    columns: secretColumns,
    row: (secret, context) => [
      nameOf(secret),
      secret.type ?? '',
      Object.keys(secret.data ?? {}).length,
      ageOf(secret, context),
    ],
  },
};
