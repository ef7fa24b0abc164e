import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/triggers.md');
