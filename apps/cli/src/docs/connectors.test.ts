import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/connectors.md');
