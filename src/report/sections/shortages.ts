import { titleOf } from '../../repo/title-of.ts';
import { explainCommand, type Shortage, shortageText } from '../shortage.ts';
import { type Item, type SectionSource, todoList } from './section.ts';

/** Placements whose policies require more clusters than fit. */
export const shortages: SectionSource = ({ inEffect }) =>
  todoList('Not enough clusters', shortageItems([...inEffect.shortages.values()]), {
    intro: 'Add clusters that fit, or change the policies: fewer clusters, or fewer requirements.',
    folder: 'placements',
  });

export const shortageItems = (all: readonly Shortage[]): Item[] =>
  all.map((shortage) => ({
    line: [
      { bold: titleOf(shortage) },
      `${shortage.since === undefined ? '' : `, since ${shortage.since}`}: ${shortageText(shortage)}. All clusters: `,
      { code: explainCommand(shortage) },
    ],
  }));
