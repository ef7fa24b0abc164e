import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/debugging.md');
