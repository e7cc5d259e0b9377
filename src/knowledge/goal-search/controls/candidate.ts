/** Something on a screen that a goal may mean. */
export interface Candidate {
  readonly name: string
  /** Other words that belong to it: in its row, of its heading. */
  readonly around: string
  /** Its name says nothing by itself: it belongs to what the screen is about. */
  readonly unnamed: boolean
}

/** The first label of a list entry is its name. */
export const readEntryName = (label: string): string => label.split(' · ')[0] ?? ''
