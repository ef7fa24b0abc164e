import type { KubeObject } from '@tektite/meta';
import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { objectLink } from '../../src/stores/object-link.ts';
import { type OwnedNode, OwnershipStore } from '../../src/stores/ownership-store.ts';
import { countText } from './count-text.ts';
import { Link } from './link.tsx';

/** The owners of an object and the objects that they own, as a tree. */
export function OwnerTree({ object }: { readonly object: KubeObject }) {
  const { api, discovery } = useApp();
  const store = useMemo(() => new OwnershipStore(api, discovery), []);
  const { uid, ownerReferences } = object.metadata;
  useEffect(() => void store.load(object), [uid, JSON.stringify(ownerReferences)]);
  const roots = store.roots.value;
  if (store.error.value) return <p class="problem">{store.error.value}</p>;
  if (!roots) return <div class="loading" aria-busy="true" />;
  return (
    <div class="owners pad">
      <ul>{roots.map(itemOf)}</ul>
      {roots.length === 1 && roots[0]?.isSelf && roots[0].owned.length === 0 ? (
        <p class="muted">No other object owns it, and it owns none.</p>
      ) : null}
      <button type="button" onClick={() => void store.load(object)}>
        Read again
      </button>
    </div>
  );
}

/** Whether an object owns the one that the tree is for, directly or not. */
function isAbove({ owned }: OwnedNode): boolean {
  return owned.some((node) => node.isSelf || isAbove(node));
}

/** More than these are closed. */
const maxSiblings = 5;

/** The way to the object is open; of other objects beside it, only a few. */
function listOf(node: OwnedNode) {
  const { owned } = node;
  if (owned.length === 0) return null;
  const onWay = isAbove(node) ? owned.filter((each) => each.isSelf || isAbove(each)) : owned;
  const beside = owned.filter((each) => !onWay.includes(each));
  const isClosed = beside.length > maxSiblings;
  return (
    <>
      <ul>{[...onWay, ...(isClosed ? [] : beside)].map(itemOf)}</ul>
      {isClosed ? (
        <details class="beside">
          <summary>{countText(beside.length, 'other object')}</summary>
          <ul>{beside.map(itemOf)}</ul>
        </details>
      ) : null}
    </>
  );
}

function itemOf(node: OwnedNode) {
  const { uid, kind, namespace, name, resource, isSelf, isMissing } = node;
  return (
    <li key={uid}>
      <span class={`owner ${isSelf ? 'self' : ''}`}>
        <span class="muted">{kind}</span>{' '}
        {resource && !isSelf && !isMissing ? (
          <Link to={objectLink(resource, namespace, name)}>{name}</Link>
        ) : (
          <b aria-current={isSelf ? 'true' : undefined}>{name}</b>
        )}
        {isMissing ? <span class="muted"> cannot be read, or was deleted</span> : null}
      </span>
      {listOf(node)}
    </li>
  );
}
