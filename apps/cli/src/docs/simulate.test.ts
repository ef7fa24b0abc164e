import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/simulate.md');
