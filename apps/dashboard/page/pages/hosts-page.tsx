import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { BoardCardView } from '../components/board-card.tsx';
import { StateMark } from '../components/state-mark.tsx';
import type { MachineStep } from '../../src/api/tool-answers.ts';
import { visibleText } from '../../src/run/index.ts';
import { hostSections } from '../../src/stores/board.ts';
import { type BoardCard, BoardStore } from '../../src/stores/board-store.ts';
import { ToolStore } from '../../src/stores/tool-store.ts';

/** Hosts that users bring, the machines that are made of them, and what each waits for. */
export function HostsPage() {
  const { api, clock, schedule, discovery } = useApp();
  const store = useMemo(() => new BoardStore(hostSections, { api, clock, schedule, discovery }), []);
  useEffect(() => () => store.stop(), []);
  const sections = store.sections.value ?? [];
  const isEmpty = sections.every(({ cards }) => cards.length === 0);
  // Steps of a machine depend on hosts, too.
  const version = sections.flatMap(({ cards }) => cards.map(({ item }) => item.resourceVersion)).join();
  return (
    <div class="page scroll">
      <h1>Hosts</h1>
      {store.error.value ? <p class="problem">{store.error.value}</p> : null}
      {isEmpty && store.isLoading.value ? <div class="loading" aria-busy="true" /> : null}
      {isEmpty && !store.isLoading.value ? (
        <div class="empty">
          <h2>No hosts and no machines</h2>
          <p class="muted">
            <code>tektite up --systems byoh</code> runs the manager; <code>tektite agent</code> registers a host.
          </p>
        </div>
      ) : null}
      {sections.map(({ title, cards }) =>
        cards.length === 0 ? null : (
          <section key={title} class="board" aria-label={title}>
            <h2>{title}</h2>
            {cards.map((card) => (
              <BoardCardView key={`${card.resource.plural}/${card.item.namespace}/${card.item.name}`} card={card}>
                {card.item.kind === 'ByoMachine' ? <MachineSteps card={card} version={version} /> : null}
                {card.item.kind === 'ByoHost' ? <UndoRecord script={card.item.undo} /> : null}
              </BoardCardView>
            ))}
          </section>
        ),
      )}
    </div>
  );
}

const stepStates = { done: 'succeeded', waiting: 'running', failed: 'failed', ahead: 'waiting' } as const;

function MachineSteps({ card: { item }, version }: { readonly card: BoardCard; readonly version: string }) {
  const { api, clock } = useApp();
  const store = useMemo(
    () =>
      new ToolStore('explain-machine', {
        api,
        clock,
        isFinal: ({ steps }) => steps.every(({ state }) => state === 'done'),
      }),
    [],
  );
  useEffect(() => () => store.stop(), []);
  useEffect(() => store.load({ namespace: item.namespace, name: item.name }), [version]);
  if (store.error.value) return <p class="problem">{store.error.value}</p>;
  return (
    <ol class="steps" aria-label="Steps">
      {(store.answer.value?.steps ?? []).map(({ state, what, why }: MachineStep) => (
        <li key={what} class={state}>
          <StateMark state={stepStates[state]} size={15} label={state} />
          <span>
            {what}
            {why ? <span class={state === 'failed' ? 'problem-text' : 'muted'}>: {visibleText(why)}</span> : null}
          </span>
        </li>
      ))}
    </ol>
  );
}

function UndoRecord({ script }: { readonly script: string }) {
  if (script === '') return <p class="muted small">There is nothing to undo on this host.</p>;
  return (
    <details class="set">
      <summary>Undo record: the script that makes it a host again</summary>
      <pre class="undo" tabIndex={0} role="region" aria-label="Undo record">
        {script}
      </pre>
    </details>
  );
}
