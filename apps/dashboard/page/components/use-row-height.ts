import { useEffect, useState } from 'preact/hooks';

const narrow = '(max-width: 720px)';

/** The height of rows: of narrow screens, of two lines. The style sheet has the same numbers. */
export function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches);
  useEffect(() => {
    const media = matchMedia(narrow);
    const onChange = () => setNarrow(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  return isNarrow ? 64 : 36;
}
