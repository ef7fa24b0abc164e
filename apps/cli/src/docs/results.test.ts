import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/results.md');
