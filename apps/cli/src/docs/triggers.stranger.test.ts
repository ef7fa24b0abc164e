import { describe } from 'vitest';
import { stranger, usersHere } from '../stranger/stranger.ts';
import { itCanBeFollowed } from './test-support.ts';

describe.each(usersHere('ordinary'))('as a user that is %s', (user) => {
  itCanBeFollowed('docs/triggers.md', () => stranger({ user }));
});
