import { hash } from 'node:crypto';

/** Hex SHA-256 of a text in UTF-8: the `digest` of PlanInput, and of contents on the status branch. */
export const sha256 = (text: string): string => hash('sha256', text);
