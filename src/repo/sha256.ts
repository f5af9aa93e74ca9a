import { createHash } from 'node:crypto';

/** Hex SHA-256 of a text in UTF-8: the `digest` that the engine is given, and with which the status branch names contents. */
export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
