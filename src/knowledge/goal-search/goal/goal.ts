import { splitWords } from './words.ts'

/** What a screen must show for a part of a goal to be reached. */
export type Desired =
  | { readonly kind: 'switch'; readonly on: boolean }
  /** A number, a time, a date or a choice. Without `text` the screen decides which of the words are the choice. */
  | { readonly kind: 'value'; readonly text?: string | undefined }
  | { readonly kind: 'text'; readonly text: string; readonly title?: string | undefined }
  | { readonly kind: 'open' }

/** One result that a goal asks for. */
export interface SubGoal {
  /** The words that name what is meant, in the order of the goal. */
  readonly words: readonly string[]
  /** Words of the goal that may name it, such as verbs. */
  readonly hints: readonly string[]
  /** The words as written, for people. */
  readonly subject: string
  readonly desired: Desired
}

/** The ways to read a goal, the preferred one first. All sub-goals of one reading are to be reached together. */
export interface Goal {
  readonly readings: readonly (readonly SubGoal[])[]
}

/** All words that a search looks for. */
export function listGoalWords({ readings }: Goal): string[] {
  const words = readings
    .flat()
    .flatMap(({ words: named, desired }) => [
      ...named,
      ...(desired.kind === 'value' && desired.text !== undefined ? splitWords(desired.text) : []),
    ])
  return [...new Set(words)]
}

/** The condition that proves the goal, as a sentence. Of several readings the preferred one. */
export function describeProof({ readings }: Goal): string {
  return (readings[0] ?? []).map(describeSubGoal).join(' ')
}

export function describeSubGoal({ subject, desired }: SubGoal): string {
  switch (desired.kind) {
    case 'switch':
      return `"${subject}" is switched ${desired.on ? 'on' : 'off'} after a restart of the app.`
    case 'value':
      return desired.text === undefined
        ? `"${subject}" is chosen after a restart of the app.`
        : `"${subject}" shows "${desired.text}" after a restart of the app.`
    case 'text':
      return `"${desired.title ?? desired.text}" is displayed after a restart of the app.`
    case 'open':
      return `A screen called "${subject}" is open.`
  }
}
