import { canonicalJson } from '../kernel/canonical-json.ts';

/** On an approval file: the digest of what was reviewed. An answer to something else is none. */
export const reviewAnnotation = 'gitfleet.dev/review';

/** `reviewed` holds all that an approval stands for, and nothing that may change without making it another. */
export const digestOfReview = (reviewed: object, digest: (text: string) => string): string =>
  `sha256:${digest(canonicalJson(reviewed))}`;
