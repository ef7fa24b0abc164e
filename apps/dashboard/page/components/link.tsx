import type { ComponentChildren } from 'preact';
import { useApp } from '../app.ts';

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly title?: string;
  readonly 'aria-current'?: 'page' | undefined;
  readonly 'aria-label'?: string;
  readonly children?: ComponentChildren;
}

/** A link within the page. With a key pressed it opens a tab, as any link. */
export function Link({ to, children, ...rest }: LinkProps) {
  const { router } = useApp();
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    router.go(to);
  };
  return (
    <a href={to} onClick={onClick} {...rest}>
      {children}
    </a>
  );
}
