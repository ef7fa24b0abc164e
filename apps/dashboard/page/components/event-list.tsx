import type { KubeObject } from '@tektite/meta';
import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { EventsStore } from '../../src/stores/events-store.ts';
import { agoText, dateText } from './time-text.ts';
import { useNow } from './use-now.ts';

/** The events about an object. */
export function EventList({ object }: { readonly object: KubeObject }) {
  const { api, clock, schedule } = useApp();
  const store = useMemo(() => new EventsStore(object, { api, clock, schedule }), []);
  useEffect(() => () => store.stop(), []);
  const now = useNow(10_000);
  const events = store.events.value;
  if (events.length === 0)
    return (
      <p class="muted pad">
        {store.state.value === 'loading' ? 'Loading…' : 'There are no events. Clusters keep them for an hour.'}
      </p>
    );
  return (
    <table class="events">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Reason</th>
          <th scope="col">Message</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        {events.map(({ uid, type, reason, message, source, count, at }) => (
          <tr key={uid} class={type === 'Warning' ? 'warning' : ''}>
            <td class="muted" title={dateText(at)}>
              {agoText(at, now)}
            </td>
            <td>
              {reason}
              {count > 1 ? <span class="muted number"> ×{count}</span> : null}
            </td>
            <td class="wide">{message}</td>
            <td class="muted">{source}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
