import { expect, it } from 'vitest';
import { defaultAuthor, parsePerson } from '../../src/git/person.ts';

it.each([
  ['Fleet Bot <bot@example.com>', { name: 'Fleet Bot', email: 'bot@example.com' }],
  ['  Ann O’Neill   <ann@example.com> ', { name: 'Ann O’Neill', email: 'ann@example.com' }],
  ['x<y>', { name: 'x', email: 'y' }],
  [defaultAuthor, { name: 'gitfleet', email: 'gitfleet@localhost' }],
])('an author is a name and an address: %s', (text, person) => {
  expect(parsePerson(text)).toEqual(person);
});

it.each(['', 'Ann', '<ann@example.com>', 'Ann <>', 'Ann <a b>', 'A<b <c>', 'A\nnn <a>', 'Ann <a> x'])(
  'text that git cannot store is not an author: %j',
  (text) => {
    expect(() => parsePerson(text)).toThrow(expect.objectContaining({ code: 'bad-address', remedy: 'user' }));
  },
);
