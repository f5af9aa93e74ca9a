import { mergeCommand } from '../engine/gate/request.ts';
import type { Plan } from '../engine/plan-document.ts';
import type { DashboardInput } from './dashboard-input.ts';
import { type InEffect, inEffect } from './in-effect.ts';
import { sectionMarkdown } from './sections/markdown.ts';
import { sectionsOf } from './sections/sections.ts';

/** README.md of the status branch: what runs where, what waits for whom since when, how to approve. Instants, never ages. */
export function renderDashboard(plan: Plan, input: DashboardInput): string {
  const { branch, inPlace = false } = input;
  const present = inEffect(plan, input);
  const howToMerge = (from: string): string =>
    `merge the branch \`${from}\` into \`${branch}\`. In ${inPlace ? 'the repo' : 'a clone'}: \`${mergeCommand(from, inPlace)}\``;
  const sections = sectionsOf({ ...input, plan, inEffect: present });
  const lines = [
    '# Fleet status',
    '',
    plannedFrom(plan, present, branch),
    ...sections.flatMap((section) => ['', `## ${section.title}`, '', ...sectionMarkdown(section, howToMerge)]),
  ];
  return `${lines.join('\n')}\n`;
}

function plannedFrom({ commit, guard }: Plan, present: InEffect, branch: string): string {
  const newest = `commit \`${commit.slice(0, 12)}\` of \`${branch}\``;
  if (guard.length === 0) return `Planned from ${newest}.`;
  return `The plan of ${newest} is refused. In effect is ${standing(present)}.`;
}

function standing({ commit, placements }: InEffect): string {
  if (commit !== undefined) return `the plan from commit \`${commit.slice(0, 12)}\``;
  return placements.length === 0 ? 'nothing' : 'the previous status';
}
