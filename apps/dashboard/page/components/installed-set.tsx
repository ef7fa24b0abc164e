import { useEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import type { InstalledObject } from '../../src/api/tool-answers.ts';
import type { BoardCard } from '../../src/stores/board-store.ts';
import { visibleText } from '../../src/run/index.ts';
import { objectLink } from '../../src/stores/object-link.ts';
import { ToolStore } from '../../src/stores/tool-store.ts';
import { boardMarks } from './board-card.tsx';
import { countText } from './count-text.ts';
import { Link } from './link.tsx';
import { StateMark } from './state-mark.tsx';

/** An installer set: closed, how it is; open, its phases with every object and its health. */
export function InstalledSet({ card }: { readonly card: BoardCard }) {
  const { resource, item } = card;
  const { router } = useApp();
  // In the address: sets that are not as they are at first.
  const turned = new Set((router.place.value.query.sets ?? '').split(',').filter(Boolean));
  const [isFailed] = useState(item.state === 'failed');
  const isOpen = isFailed !== turned.has(item.name);
  const setOpen = (isNow: boolean) => {
    if (isNow === isOpen) return;
    if (!turned.delete(item.name)) turned.add(item.name);
    router.setQuery({ sets: [...turned].join(',') });
  };
  return (
    <details class="set" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <StateMark state={boardMarks[item.state]} size={15} />
        <span class="set-name">{item.name}</span>
        <span class="muted number">{countText(item.size, 'object')}</span>
      </summary>
      <p class="muted small">
        <Link to={objectLink(resource, item.namespace, item.name)}>{resource.kind}</Link>
        {item.cause ? ` · ${item.cause}` : ''}
      </p>
      {isOpen ? <SetPhases card={card} /> : null}
    </details>
  );
}

function SetPhases({ card: { item } }: { readonly card: BoardCard }) {
  const { api, clock } = useApp();
  const store = useMemo(
    () =>
      new ToolStore('installed-objects', {
        api,
        clock,
        isFinal: ({ phases }) => phases.every(({ objects }) => objects.every(({ health }) => health === 'Current')),
      }),
    [],
  );
  useEffect(() => () => store.stop(), []);
  useEffect(() => store.load({ kind: item.kind, name: item.name }), [item.resourceVersion]);
  const answer = store.answer.value;
  if (store.error.value) return <p class="problem">{store.error.value}</p>;
  if (!answer) return <div class="loading" aria-busy="true" />;
  const conditions = new Map(item.conditions.map((condition) => [condition.type, condition.status]));
  return (
    <>
      {answer.phases.map(({ name, condition, objects }) => (
        <section key={name} class="phase">
          <h3>
            {name}
            <span class={`condition ${conditions.get(condition) ?? 'Unknown'}`}> {condition}</span>
          </h3>
          <ul>
            {objects.map((object) => (
              <ObjectLine key={`${object.kind}/${object.namespace ?? ''}/${object.name}`} object={object} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

const healthStates = {
  Current: 'succeeded',
  InProgress: 'running',
  Terminating: 'running',
  Failed: 'failed',
  NotFound: 'failed',
  Unknown: 'waiting',
} as const;

function ObjectLine({ object }: { readonly object: InstalledObject }) {
  const { discovery } = useApp();
  const { apiVersion, kind, namespace = '', name, health, message } = object;
  const resource = discovery.findKind(apiVersion, kind);
  return (
    <li class="object-line">
      <StateMark state={healthStates[health]} size={14} label={health} />
      <span class="muted">{kind}</span>
      <span class="object-name">
        {resource ? <Link to={objectLink(resource, namespace, name)}>{name}</Link> : name}
      </span>
      {message ? (
        <span class={health === 'Failed' || health === 'NotFound' ? 'problem-text' : 'muted'}>
          {visibleText(message)}
        </span>
      ) : null}
    </li>
  );
}
