import type { Container } from '@tektite/schema/kubernetes';

/** A port by number, or by the name that a container gives it. */
export function resolvePort(port: number | string, { ports }: Container): number {
  if (typeof port === 'number') return port;
  const named = (ports ?? []).find(({ name }) => name === port)?.containerPort;
  const number = named ?? Number.parseInt(port, 10);
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw new Error(`couldn't find port: ${JSON.stringify(port)} for container`);
  return number;
}
