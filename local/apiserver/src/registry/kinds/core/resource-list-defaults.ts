import { type Mutable, Quantity } from '@tektite/meta';

type ResourceList = Mutable<Readonly<Record<string, string>>>;

/** Quantities of resources have thousandths at most; what is smaller is rounded up. */
export function roundResources(list: ResourceList | undefined): void {
  for (const name in list) {
    const text = list[name] as string;
    if (!text.endsWith('n') && !text.endsWith('u')) continue;
    const quantity = Quantity.parse(text);
    list[name] = Quantity.of(quantity.milliValue, -3, quantity.format).toString();
  }
}
