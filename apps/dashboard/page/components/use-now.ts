import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app.ts';

/** The time, every `intervalMs` while the page is visible. Components that show only completed runs pass 0: it stands still. */
export function useNow(intervalMs: number): number {
  const { clock } = useApp();
  const [now, setNow] = useState(clock.now());
  useEffect(() => {
    if (intervalMs === 0) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) setNow(clock.now());
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}
