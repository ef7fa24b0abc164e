import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/chains.md');
