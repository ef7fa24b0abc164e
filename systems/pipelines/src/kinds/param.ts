/** The value of a parameter or result. Webhooks turn whatever else a user writes (numbers, booleans) into text. */
export type ParamValue = string | readonly string[] | Readonly<Record<string, string>>;

export type ParamType = 'string' | 'array' | 'object';

export interface Param {
  readonly name: string;
  readonly value: ParamValue;
}

export interface PropertySpec {
  readonly type?: ParamType;
}

/** What a Task, Pipeline or StepAction takes. */
export interface ParamSpec {
  readonly name: string;
  readonly type?: ParamType;
  readonly description?: string;
  /** The keys of an object. */
  readonly properties?: Readonly<Record<string, PropertySpec>>;
  readonly default?: ParamValue;
  readonly enum?: readonly string[];
}

export function typeOfValue(value: ParamValue): ParamType {
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? 'array' : 'object';
}
