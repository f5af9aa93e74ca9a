import { printable } from '../../api/printable.ts';
import type { Problem } from '../../api/problem.ts';
import type { CommitStatus, Forge, PullRequest } from '../../forge/forge.ts';
import { effectMarkdown, planMarker, titleWith } from '../../report/effect/effect-markdown.ts';
import type { EffectText } from '../../report/effect/effect-text.ts';
import { neutral, neutralMarkdown } from '../../report/sections/neutral.ts';

/** What the forge shows of a preview. */
export interface PreviewText {
  readonly body: string;
  /** Everything, where the comment has only a part of it. */
  readonly full: string | undefined;
  readonly status: Pick<CommitStatus, 'state' | 'description'>;
  /** It changes nothing and nothing is wrong: not worth a comment where no one waits for one. */
  readonly isEmpty: boolean;
}

/** The context of the commit status. `folder`: of the fleet in its repo; several in one repo do not write over each other. */
export const contextOf = (folder: string | undefined): string => (folder ? `gitfleet/plan:${folder}` : 'gitfleet/plan');

/** The marker of the comment. */
export const markerOf = (folder: string | undefined): string =>
  folder ? planMarker.replace(' -->', () => ` ${folder} -->`) : planMarker;

/** The text of the fleet in a folder of its repo. */
export const ofFolder = (text: PreviewText, folder: string | undefined): PreviewText =>
  folder
    ? {
        ...text,
        body: text.body.replace(
          `${planMarker}\n### gitfleet plan:`,
          () => `${markerOf(folder)}\n### gitfleet plan of ${neutralMarkdown(folder)}:`,
        ),
      }
    : text;

export const planning: PreviewText['status'] = { state: 'pending', description: 'planning the merge result' };

/** Characters that forges add themselves. */
const reserve = 2_000;
/** Longest file with everything, characters, and lines of each of its lists. */
const mostInFile = 256 * 1024;
const mostLines = 1_000;
/** GitHub's limit, characters. */
const longestDescription = 140;

/** The place of everything on the status branch, and how it is found there by its path. */
export const fullPath = (number: number): string => `previews/${number}.md`;
export const numberOfPath = (path: string): number | undefined => {
  const number = /^previews\/(\d+)\.md$/.exec(path)?.[1];
  return number === undefined ? undefined : Number(number);
};

/** Where a text goes, and what it is of. */
export interface TextPlace {
  readonly pull: Pick<PullRequest, 'number' | 'url'>;
  readonly forge: Pick<Forge, 'kind' | 'mostCharacters'>;
  readonly statusBranch: string;
  /** What was planned, without a full stop. */
  readonly head: string;
}

/** The total effect of merging a pull request. */
export function effectPreview(text: EffectText, problems: readonly Problem[], place: TextPlace): PreviewText {
  const { forge, pull } = place;
  const most = Math.min(forge.mostCharacters - reserve, mostInFile);
  const full = effectMarkdown(text, { head: `${place.head}.`, problems, limit: mostInFile, lines: mostLines });
  const short = effectMarkdown(text, { head: `${place.head}.`, problems, limit: most });
  const url = fullURL(place);
  const isCut = short !== full;
  const where = `[The full plan](${url}) is \`${fullPath(pull.number)}\` on the branch \`${place.statusBranch}\`.`;
  const body = isCut
    ? effectMarkdown(text, {
        head: `${place.head}. ${where}`,
        problems,
        limit: most,
        whole: `[the full plan](${url}) has more`,
      })
    : short;
  const errors = problems.filter(({ severity }) => severity === 'error');
  const isRefused = text.guard.length > 0;
  return {
    body,
    full: isCut ? full : undefined,
    status: statusOf(isRefused || errors.length > 0 ? 'failure' : 'success', titleWith(text.title, problems)),
    isEmpty: text.isEmpty && errors.length === 0,
  };
}

/** One that cannot be planned: what is wrong, and what to do. */
export function failedPreview(
  { title, details }: { readonly title: string; readonly details: string },
  { head }: Pick<TextPlace, 'head'>,
): PreviewText {
  const body = [
    planMarker,
    `### gitfleet plan: ❌ ${neutralMarkdown(title)}`,
    '',
    neutralMarkdown(details),
    '',
    `${head}.`,
    '',
  ];
  return { body: body.join('\n'), full: undefined, status: statusOf('failure', title), isEmpty: false };
}

function statusOf(state: CommitStatus['state'], text: string): PreviewText['status'] {
  const line = printable(neutral(text)).replace(/\s+/g, ' ');
  return {
    state,
    description: line.length > longestDescription ? `${line.slice(0, longestDescription - 1)}…` : line,
  };
}

/** The page of a file on the status branch; its path where the forge named no page of the pull request. */
function fullURL({ pull, forge, statusBranch }: TextPlace): string {
  const path = [...statusBranch.split('/'), ...fullPath(pull.number).split('/')].map(encodeURIComponent).join('/');
  const page = /^(.*?)(?:\/-)?\/(?:pull|pulls|merge_requests)\/\d+$/.exec(pull.url)?.[1];
  if (page === undefined) return path;
  return `${page}${{ github: '/blob/', gitlab: '/-/blob/', gitea: '/src/branch/' }[forge.kind]}${path}`;
}

/**
 * Whether two texts say the same: instants and the commit of the followed branch change with every plan, and a comment that others were
 * notified of is not edited for them. A forge may change line ends, and the white space around a text.
 */
export const saysTheSame = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && factsOf(a) === factsOf(b);

const factsOf = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/ at [0-9a-f]{12}(?=; the fleet as of )/g, '')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '')
    .trim();
