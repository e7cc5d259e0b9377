import type { PhraseTable } from '../language.ts'

/** The phrases of each action, by its name. */
export type ActionTable = Readonly<Record<string, PhraseTable>>
