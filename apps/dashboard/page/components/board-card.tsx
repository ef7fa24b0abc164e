import type { ComponentChildren } from 'preact';
import type { BoardCard } from '../../src/stores/board-store.ts';
import { objectLink } from '../../src/stores/object-link.ts';
import { Link } from './link.tsx';
import { StateMark } from './state-mark.tsx';

export const boardMarks = { ready: 'succeeded', waiting: 'running', failed: 'failed' } as const;

interface BoardCardViewProps {
  readonly card: BoardCard;
  /** At the end of the first line. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** An object with its conditions in their order, and the cause of what is not ready. */
export function BoardCardView({ card: { resource, item }, actions, children }: BoardCardViewProps) {
  return (
    <article class="card" aria-label={`${resource.kind} ${item.name}`}>
      <header>
        <StateMark state={boardMarks[item.state]} />
        <Link to={objectLink(resource, item.namespace, item.name)} class="run-name">
          {item.name}
        </Link>
        <span class="muted">{[resource.kind, item.namespace, item.version].filter(Boolean).join(' · ')}</span>
        {actions ? <span class="card-actions">{actions}</span> : null}
      </header>
      {item.cause ? <p class={item.state === 'failed' ? 'problem' : 'note'}>{item.cause}</p> : null}
      {item.upgrade ? <p class="note">{item.upgrade}</p> : null}
      {item.conditions.length > 0 ? (
        <ol class="conditions" aria-label="Conditions">
          {item.conditions.map(({ type, status, reason, message }) => (
            <li key={type} class={`condition ${status}`} title={message || reason}>
              <span aria-hidden="true">{{ True: '✓', False: '✗' }[status] ?? '…'}</span> {type}
              <span class="unseen"> is {status}</span>
            </li>
          ))}
        </ol>
      ) : null}
      {item.facts.length > 0 ? (
        <dl class="card-facts">
          {item.facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {children}
    </article>
  );
}
