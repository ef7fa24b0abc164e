import type { RunNode } from './run-node.ts';

/** Whether a node is a run of its own Pipeline, within another. */
function isNested({ id }: RunNode): boolean {
  return /^PipelineRun\/[^/]+$/.test(id);
}

/**
 * The name of a node in addresses: that of its task; of a task within a nested Pipeline `outer/inner`, because both may have tasks of
 * the same name. Members of a matrix have names of their own.
 */
export function nodeKey(node: RunNode, parent?: { readonly node: RunNode; readonly key: string }): string {
  const name = node.name.replace(/ \(finally\)$/, '');
  return parent && isNested(parent.node) ? `${parent.key}/${name}` : name;
}

/** The node with a key, below the root. Steps have none. */
export function findNode(root: RunNode, key: string | undefined): RunNode | undefined {
  if (!key) return undefined;
  const search = (parent: RunNode, parentKey: string | undefined): RunNode | undefined => {
    if (parent.id.startsWith('TaskRun/')) return undefined;
    for (const child of parent.children) {
      const own = nodeKey(child, parentKey === undefined ? undefined : { node: parent, key: parentKey });
      if (own === key) return child;
      const found = search(child, own);
      if (found) return found;
    }
    return undefined;
  };
  return search(root, undefined);
}

/** The TaskRun whose log stands for a node: of several the one that failed, or else the first. */
export function firstTaskRun(node: RunNode | undefined): RunNode | undefined {
  if (!node || node.id.startsWith('TaskRun/')) return node;
  const members = node.children
    .flatMap((child) => firstTaskRun(child) ?? [])
    .filter(({ id }) => id.startsWith('TaskRun/'));
  return members.find(({ state }) => state === 'failed') ?? members[0];
}
