import { formatGoNumber } from '@tektite/meta';
import type { JsonSchema } from '../structural-schema.ts';
import { isInt64 } from './json-type.ts';
import type { Violations } from './violations.ts';

type NumberCheck = (value: number | bigint, path: string, violations: Violations) => void;

/** The limits of a number. Only a schema of exactly one type limits the range of its numbers. */
export function numberCheck(schema: JsonSchema, types: readonly string[]): NumberCheck {
  const type = types.length === 1 && (types[0] === 'integer' || types[0] === 'number') ? types[0] : '';
  const known = type === 'integer' ? ['int32', 'int64'] : type === 'number' ? ['float', 'double'] : [];
  const format = schema.format !== undefined && known.includes(schema.format) ? schema.format : '';
  const outOfRange = (value: number | bigint, prefix: string, path: string): string | undefined =>
    isInRange(value, type, format)
      ? undefined
      : `${prefix} value must be of type ${type} ${format === '' ? '(default format)' : `with format ${format}`} in ${path}`;
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;

  return (value, path, violations) => {
    const report = (prefix: string, limit: number | bigint): boolean => {
      const message = outOfRange(limit, prefix, path);
      if (message !== undefined) violations.general(message);
      return message === undefined;
    };
    report('Checked', value);
    if (multipleOf !== undefined) {
      const usable = report('MultipleOf', multipleOf);
      checkMultiple(value, usable && isInt64(value) ? Math.trunc(multipleOf) : multipleOf, path, violations);
    }
    if (minimum !== undefined) {
      const usable = report('Minimum boundary', minimum);
      const limit = usable && isInt64(value) ? Math.trunc(minimum) : minimum;
      if (exclusiveMinimum ? value <= limit : value < limit)
        violations.broken(
          path,
          value,
          `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${formatGoNumber(limit)}`,
        );
    }
    if (maximum !== undefined) {
      const usable = report('Maximum boundary', maximum);
      const limit = usable && isInt64(value) ? Math.trunc(maximum) : maximum;
      if (exclusiveMaximum ? value >= limit : value > limit)
        violations.broken(
          path,
          value,
          `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${formatGoNumber(limit)}`,
        );
    }
  };
}

function isInRange(value: number | bigint, type: string, format: string): boolean {
  if (type === 'integer') {
    if (format === 'int32') return Number.isInteger(Number(value)) && value >= -(2 ** 31) && value < 2 ** 31;
    return isInt64(value);
  }
  return format !== 'float' || Number.isFinite(Math.fround(Number(value)));
}

function checkMultiple(value: number | bigint, factor: number, path: string, violations: Violations): void {
  if (factor <= 0) violations.unusableFactor(path, factor);
  else if (!isMultiple(value, factor))
    violations.broken(path, value, `should be a multiple of ${formatGoNumber(factor)}`);
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint')
    return Number.isInteger(factor) ? value % BigInt(factor) === 0n : isMultiple(Number(value), factor);
  if (isInt64(value) && Number.isInteger(factor)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return isNearlyInteger(quotient);
}

/** Reports whether a quotient of floats counts as an integer. */
function isNearlyInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const difference = Math.abs(value - Math.trunc(value));
  if (difference === 0) return true;
  const whole = Math.abs(Math.trunc(value));
  return whole === 0 ? difference < 1e-9 : difference / Math.min(Math.abs(value) + whole, Number.MAX_VALUE) < 1e-9;
}
