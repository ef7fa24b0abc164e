import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/dashboard.md');
