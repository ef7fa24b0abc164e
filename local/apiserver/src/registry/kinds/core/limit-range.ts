import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  validateQualifiedName,
  type Mutable,
  Quantity,
  required,
} from '@tektite/meta';
import type { LimitRange, LimitRangeItem } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkText } from '../field-checks.ts';
import { defaultTable } from '../table/cells.ts';
import { roundResources } from './resource-list-defaults.ts';
import { isOvercommitAllowed, validateContainerResourceName, validateResourceName } from './resource-names.ts';

type ResourceList = Readonly<Record<string, string>>;

const parts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Limits of containers are also their defaults, unless others are given. */
function defaultLimitRange(limitRange: Mutable<LimitRange>): void {
  for (const item of limitRange.spec?.limits ?? []) {
    if (item.type === 'Container') {
      const limit: Record<string, string> = { ...item.default };
      for (const [name, value] of Object.entries(item.max ?? {})) limit[name] ??= value;
      const request: Record<string, string> = { ...item.defaultRequest };
      for (const source of [limit, item.min ?? {}])
        for (const [name, value] of Object.entries(source)) request[name] ??= value;
      if (Object.keys(limit).length > 0) item.default = limit;
      if (Object.keys(request).length > 0) item.defaultRequest = request;
    }
    for (const part of parts) roundResources(item[part]);
  }
}

function validateLimitRange({ spec }: LimitRange): FieldError[] {
  const errors: FieldError[] = [];
  const types = new Set<string>();
  for (const [i, item] of (spec?.limits ?? []).entries()) {
    const path = FieldPath.of('spec', 'limits').index(i);
    const { type = '' } = item;
    validateType(type, path.child('type'), errors);
    if (types.has(type)) errors.push(duplicate(path.child('type'), type));
    types.add(type);
    validateNames(item, path, errors);
    if (type === 'PersistentVolumeClaim' && item.min?.storage === undefined && item.max?.storage === undefined) {
      const detail = 'either minimum or maximum storage value is required, but neither was provided';
      errors.push(required(path.child('limits'), detail));
    }
    const isPod = type === 'Pod';
    const names = new Set(
      parts.flatMap((part) => (isPod && part.startsWith('default') ? [] : Object.keys(item[part] ?? {}))),
    );
    for (const name of names) validateValues(name, isPod ? withoutDefaults(item) : item, path, errors);
  }
  return errors;
}

function withoutDefaults({ default: _, defaultRequest: __, ...rest }: LimitRangeItem): LimitRangeItem {
  return rest;
}

function validateType(type: string, path: FieldPath, errors: FieldError[]): void {
  const before = errors.length;
  checkText(type, validateQualifiedName, path, errors);
  if (errors.length > before || type.includes('/')) return;
  if (!['Pod', 'Container', 'PersistentVolumeClaim'].includes(type))
    errors.push(invalid(path, type, 'must be a standard limit type or fully qualified'));
}

function validateNames(item: LimitRangeItem, path: FieldPath, errors: FieldError[]): void {
  const check = item.type === 'Pod' || item.type === 'Container' ? validateContainerResourceName : validateResourceName;
  for (const part of parts) {
    if (item.type === 'Pod' && part.startsWith('default')) {
      if (Object.keys(item[part] ?? {}).length > 0)
        errors.push(forbidden(path.child(part), "may not be specified when `type` is 'Pod'"));
      continue;
    }
    for (const name in item[part]) check(name, path.child(part).key(name), errors);
  }
}

function quantityOf(list: ResourceList | undefined, name: string): Quantity | undefined {
  const text = list?.[name];
  return text === undefined ? undefined : Quantity.parse(text);
}

/** Least, default and most must be in order. Which of two values a message shows is upstream's choice. */
function validateValues(name: string, item: LimitRangeItem, path: FieldPath, errors: FieldError[]): void {
  const min = quantityOf(item.min, name);
  const max = quantityOf(item.max, name);
  const limit = quantityOf(item.default, name);
  const request = quantityOf(item.defaultRequest, name);
  const ratio = quantityOf(item.maxLimitRequestRatio, name);
  const exceeds = (a: Quantity | undefined, b: Quantity | undefined) => a && b && a.compare(b) > 0;
  const report = (part: string, shown: Quantity | undefined, detail: string) =>
    errors.push(invalid(path.child(part).key(name), String(shown), detail));
  if (exceeds(min, max)) report('min', min, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request))
    report('defaultRequest', request, `min value ${min} is greater than default request value ${request}`);
  if (exceeds(request, max))
    report('defaultRequest', request, `default request value ${request} is greater than max value ${max}`);
  if (exceeds(request, limit))
    report('defaultRequest', request, `default request value ${request} is greater than default limit value ${limit}`);
  if (exceeds(min, limit)) report('default', min, `min value ${min} is greater than default value ${limit}`);
  if (exceeds(limit, max)) report('default', max, `default value ${limit} is greater than max value ${max}`);
  if (ratio) validateRatio(ratio, min, max, (detail) => report('maxLimitRequestRatio', ratio, detail));
  if (!isOvercommitAllowed(name) && limit && request && limit.compare(request) !== 0)
    report(
      'defaultRequest',
      request,
      `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
    );
}

function validateRatio(
  ratio: Quantity,
  min: Quantity | undefined,
  max: Quantity | undefined,
  report: (detail: string) => void,
): void {
  if (ratio.compare(Quantity.of(1)) < 0) report(`ratio ${ratio} is less than 1`);
  if (!min || !max) return;
  const maxRatio = max.toNumber() / min.toNumber();
  if (ratio.toNumber() > maxRatio) report(`ratio ${ratio} is greater than max/min = ${maxRatio.toFixed(6)}`);
}

export const limitRangeStrategy: KindStrategy<LimitRange> = {
  metadataRules: { onUpdate: 'create' },
  default: defaultLimitRange,
  validateCreate: validateLimitRange,
  validateUpdate: validateLimitRange,
  table: defaultTable,
  allowCreateOnUpdate: true,
};
