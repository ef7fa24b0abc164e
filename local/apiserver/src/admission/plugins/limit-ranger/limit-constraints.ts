import { Quantity } from '@tektite/meta';

/** Amounts by the name of the resource, as text. */
export type Amounts = Readonly<Record<string, string>>;

/** The requests and limits of an object. */
export interface Resources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

interface Compared {
  readonly text: string;
  readonly value: Quantity;
}

function read(amounts: Amounts, name: string): Compared | undefined {
  const text = amounts[name];
  if (text === undefined) return undefined;
  const value = Quantity.parse(text);
  return { text: value.toString(), value };
}

/** The violation if less is asked for, or allowed, than the least; `undefined` when all is well. */
export function minConstraint(
  type: string,
  name: string,
  least: string,
  { requests, limits }: Resources,
): string | undefined {
  const enforced = Quantity.parse(least);
  const rule = `minimum ${name} usage per ${type} is ${enforced.toString()}`;
  const request = read(requests, name);
  const limit = read(limits, name);
  if (!request) return `${rule}.  No request is specified`;
  if (request.value.compare(enforced) < 0) return `${rule}, but request is ${request.text}`;
  if (limit && limit.value.compare(enforced) < 0) return `${rule}, but limit is ${limit.text}`;
  return undefined;
}

/** The violation if more is allowed, or asked for, than the most. */
export function maxConstraint(
  type: string,
  name: string,
  max: string,
  { requests, limits }: Resources,
): string | undefined {
  const enforced = Quantity.parse(max);
  const rule = `maximum ${name} usage per ${type} is ${enforced.toString()}`;
  const request = read(requests, name);
  const limit = read(limits, name);
  if (!limit) return `${rule}.  No limit is specified`;
  if (limit.value.compare(enforced) > 0) return `${rule}, but limit is ${limit.text}`;
  if (request && request.value.compare(enforced) > 0) return `${rule}, but request is ${request.text}`;
  return undefined;
}

/** Claims have no limits; what they ask for counts. */
export function maxRequestConstraint(type: string, name: string, max: string, requests: Amounts): string | undefined {
  const enforced = Quantity.parse(max);
  const rule = `maximum ${name} usage per ${type} is ${enforced.toString()}`;
  const request = read(requests, name);
  if (!request) return `${rule}.  No request is specified`;
  return request.value.compare(enforced) > 0 ? `${rule}, but request is ${request.text}` : undefined;
}

/** The violation if the limit is further above the request than allowed. */
export function ratioConstraint(
  type: string,
  name: string,
  highest: string,
  { requests, limits }: Resources,
): string | undefined {
  const enforced = Quantity.parse(highest);
  const rule = `${name} max limit to request ratio per ${type} is ${enforced.toString()}`;
  const request = read(requests, name);
  const limit = read(limits, name);
  if (!request || request.value.isZero) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.value.isZero) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit.value.milliValue) / Number(request.value.milliValue);
  return ratio * 1000 > Number(enforced.milliValue) ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
