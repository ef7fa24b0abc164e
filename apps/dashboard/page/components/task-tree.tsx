import { durationText, nodeKey, type RunNode, wholeSpan } from '../../src/run/index.ts';

import { StateMark } from './state-mark.tsx';

interface TaskTreeProps {
  readonly tree: RunNode;
  readonly selected: string | undefined;
  readonly now: number;
  readonly onSelect: (task: string) => void;
}

/** The tasks of a run, with those of a matrix below their task. */
export function TaskTree({ tree, selected, now, onSelect }: TaskTreeProps) {
  const item = (node: RunNode, depth: number, parent?: { node: RunNode; key: string }) => {
    const task = nodeKey(node, parent);
    const name = node.name.replace(/ \(finally\)$/, '');
    const span = wholeSpan(node);
    const isShown = node.state !== 'skipped' && node.state !== 'waiting' && span;
    return (
      <li key={node.id}>
        <button
          type="button"
          class={`plain tree-item depth${depth}`}
          aria-current={selected === task ? 'true' : undefined}
          title={node.note}
          onClick={() => onSelect(task)}
        >
          <StateMark state={node.state} size={15} />
          <span class="tree-name">{name}</span>
          <span class="muted number">{isShown ? durationText(Math.max(0, (span.ended ?? now) - span.began)) : ''}</span>
        </button>
        {node.id.startsWith('TaskRun/') || node.children.length === 0 ? null : (
          <ul>{node.children.map((child) => item(child, depth + 1, { node, key: task }))}</ul>
        )}
      </li>
    );
  };
  const final = tree.children.filter(({ name }) => name.endsWith(' (finally)'));
  const main = tree.children.filter(({ name }) => !name.endsWith(' (finally)'));
  return (
    <nav class="tree" aria-label="Tasks">
      <ul>{main.map((node) => item(node, 0))}</ul>
      {final.length > 0 ? (
        <>
          <h3>finally</h3>
          <ul>{final.map((node) => item(node, 0))}</ul>
        </>
      ) : null}
    </nav>
  );
}
