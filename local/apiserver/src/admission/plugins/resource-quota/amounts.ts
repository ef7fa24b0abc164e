import { Quantity } from '@tektite/meta';

/** How much of what, by the name of the resource. */
export type Amounts = ReadonlyMap<string, Quantity>;

const zero = Quantity.of(0);

export function parseAmounts(texts: Readonly<Record<string, string>> = {}): Amounts {
  return new Map(Object.entries(texts).map(([name, text]) => [name, Quantity.parse(text)]));
}

export function printAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, quantity.toString()]));
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, quantity] of b) sum.set(name, sum.get(name)?.add(quantity) ?? quantity);
  return sum;
}

/** The amounts by which `a` exceeds `b`. */
export function growth(a: Amounts, b: Amounts): Amounts {
  return new Map(
    [...a].map(([name, quantity]) => {
      const difference = quantity.sub(b.get(name) ?? zero);
      return [name, difference.sign > 0 ? difference : zero];
    }),
  );
}

export function onlyNamed(amounts: Amounts, names: ReadonlySet<string>): Amounts {
  return new Map([...amounts].filter(([name]) => names.has(name)));
}

export function withoutZeros(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([, quantity]) => !quantity.isZero));
}

export function equalAmounts(a: Amounts, b: Amounts): boolean {
  return a.size === b.size && [...a].every(([name, quantity]) => b.get(name)?.equals(quantity) === true);
}

/** `cpu=1,memory=2Gi`, in the order of the names. */
export function formatAmounts(amounts: Amounts): string {
  return [...amounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, quantity]) => `${name}=${quantity.toString()}`)
    .join(',');
}
