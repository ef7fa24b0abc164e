/**
 * The strongly connected components of a graph that have more than one node (Tarjan): every cycle lies in exactly one of them.
 *
 * @param {Map<string, Iterable<string>>} graph each node and its successors
 * @returns {string[][]}
 */
export function findCycles(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const onStack = new Set();
  const cycles = [];

  function visit(node) {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node), low.get(next)));
      } else if (onStack.has(next)) low.set(node, Math.min(low.get(node), index.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    for (const member of component) onStack.delete(member);
    if (component.length > 1) cycles.push(component);
  }

  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return cycles;
}
