import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Reads the tables in `order/`, whose README explains them: `package.Type` → field → `{ position, embedded, protobuf }`.
 * `embedded` is the path of embedded structs the field comes from (`RuleWithOperations.Rule`), `protobuf` the numbers of these
 * and its own; undefined when it is one more than that of the field before.
 */
export function readOrders() {
  const directory = fileURLToPath(new URL('order/', import.meta.url));
  const orders = new Map();
  for (const file of readdirSync(directory)) {
    if (!file.endsWith('.txt')) continue;
    const name = file.slice(0, -'.txt'.length).replace('.', '/');
    const text = readFileSync(directory + file, 'utf8').replace(/\n +/g, ' ');
    for (const [, type, fields] of text.matchAll(/^(\w+): (.*)$/gm)) orders.set(`${name}.${type}`, readFields(fields));
  }
  return orders;
}

function readFields(text) {
  const fields = new Map();
  const embedded = [];
  let number = 0;
  for (const [, word, explicit, brace] of text.matchAll(/([^\s{}=]+)(?:=(\d+))?(\{)?|\}/g)) {
    if (word === undefined) {
      number = embedded.pop().number;
      continue;
    }
    const expected = number + 1;
    number = explicit ? Number(explicit) : expected;
    if (brace) {
      embedded.push({ name: word, number });
      number = 0;
      continue;
    }
    const usual = number === expected && embedded.length === 0 && word !== 'kind' && word !== 'apiVersion';
    fields.set(word, {
      position: fields.size,
      embedded: embedded.map(({ name }) => name).join('.') || undefined,
      protobuf: usual ? undefined : [...embedded.map((outer) => outer.number), number],
    });
  }
  return fields;
}

const leading = ['kind', 'apiVersion', 'metadata', 'spec', 'status'];

/** Sorts fields as they are printed and notes which of them are embedded. Fails when a table has lost a field. */
export function orderFields(key, fields, orders) {
  const order = orders.get(key);
  const position = ({ name }) => {
    if (!order) return (leading.indexOf(name) + leading.length + 1) % (leading.length + 1);
    if (name === 'kind' || name === 'apiVersion')
      return order.get(name)?.position ?? leading.indexOf(name) - leading.length;
    if (!order.has(name)) throw new Error(`the order of ${key} does not name the field ${name}`);
    return order.get(name).position;
  };
  return fields
    .map((field) => ({
      ...field,
      embedded: order?.get(field.name)?.embedded,
      protobuf: order?.get(field.name)?.protobuf,
    }))
    .sort((a, b) => position(a) - position(b) || (a.name < b.name ? -1 : 1));
}
