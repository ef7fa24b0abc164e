import { UserError } from '../user-error.ts';

/** The allowed names of payloads. */
export function checkComponent(name: string): string {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 63)
    throw new UserError(`${JSON.stringify(name)} is no name of a component: lower case, digits and dashes, at most 63`);
  return name;
}
