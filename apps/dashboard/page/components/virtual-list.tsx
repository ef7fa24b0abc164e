import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly renderRow: (index: number) => ComponentChildren;
  readonly class?: string;
  readonly label: string;
  /** Rows above and below the visible ones. */
  readonly overscan?: number;
  readonly onWindow?: (first: number, last: number) => void;
  /** Stays at the end while rows are added, until the user scrolls up. */
  readonly isFollowing?: boolean;
  readonly onFollowChange?: (isFollowing: boolean) => void;
  /** Scrolls to this row when it changes. */
  readonly scrollTo?: number | undefined;
  readonly role?: 'rowgroup' | 'log';
}

/** Browsers have a limit of about 16 million pixels: beyond it, positions are scaled. */
const maxPixels = 8_000_000;

/** Rows of one height, of which only the visible ones exist. */
export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, renderRow, overscan = 8, isFollowing = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const full = count * rowHeight;
  const shown = Math.min(full, maxPixels);
  const range = Math.max(0, full - view.height);
  const scale = shown > view.height ? range / Math.max(1, shown - view.height) : 1;
  const offset = Math.min(range, view.top * scale);
  const first = Math.max(0, Math.floor(offset / rowHeight) - overscan);
  const last = Math.min(count, Math.ceil((offset + view.height) / rowHeight) + overscan);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const read = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(read);
    observer.observe(element);
    read();
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && isFollowing) element.scrollTop = element.scrollHeight;
  }, [count, isFollowing, view.height]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || props.scrollTo === undefined) return;
    const wanted = Math.max(0, props.scrollTo * rowHeight - element.clientHeight / 2);
    element.scrollTop = wanted / scale;
  }, [props.scrollTo]);
  useEffect(() => props.onWindow?.(first, last), [first, last, count]);

  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    setView({ top: element.scrollTop, height: element.clientHeight });
    const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight;
    if (isAtEnd !== isFollowing) props.onFollowChange?.(isAtEnd);
  };
  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index++) rows.push(renderRow(index));
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ''}`}
      onScroll={onScroll}
      role={props.role ?? 'rowgroup'}
      aria-label={props.label}
      tabIndex={0}
    >
      <div class="virtual-whole" style={{ height: `${shown}px` }}>
        <div class="virtual-window" style={{ transform: `translateY(${view.top - offset + first * rowHeight}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
