import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/production.md');
