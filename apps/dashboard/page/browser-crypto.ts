/** The part of Node's crypto that the page's code can reach. */
export const getRandomValues: typeof crypto.getRandomValues = (array) => crypto.getRandomValues(array);

export function createHash(): never {
  throw new Error('the page makes no hashes');
}
